package bench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// total is the name of all system calls together.
const total = "total"

// waits are the system calls by which Go's scheduler and memory wait and wake. How many they are depends on how busy
// the machine is, not on what a match does, so they are not counted.
var waits = []string{
	"futex", "epoll_pwait", "nanosleep", "clock_nanosleep", "sched_yield", "tgkill", "getpid", "rt_sigreturn",
	"rt_sigprocmask", "madvise", "restart_syscall",
}

// shown are those that a match makes many of, where a tracer has to be told which to count.
var shown = []string{
	"read", "write", "fcntl", "openat", "close", "epoll_ctl", "fsync", "fdatasync", "newfstatat", "fstat", "pread64",
	"pwrite64", "renameat", "unlinkat", "accept4", "connect", "socket", "setsockopt", "getdents64", "sendfile",
	"copy_file_range", "ftruncate", "writev", "sync_file_range",
}

// A tracer counts system calls of processes until it is interrupted.
type tracer struct {
	name string
	args func(pids []string) []string
	read func(out string) map[string]float64 // by name; "total" is all
}

// tracers are the programs that count system calls, the better one first.
var tracers = []tracer{
	{"perf", perfArgs, readPerf}, // slows nobody down
	{"strace", func(pids []string) []string { return append([]string{"-f", "-c", "-p"}, strings.Join(pids, ",")) }, readStrace},
}

// perfArgs has perf count all system calls of some processes, and those by name that this kernel has a tracepoint
// for.
func perfArgs(pids []string) []string {
	args := []string{"stat", "-x", ",", "-e", "raw_syscalls:sys_enter"}
	for _, name := range slices.Concat(waits, shown) {
		if _, err := os.Stat("/sys/kernel/tracing/events/syscalls/sys_enter_" + name); err == nil {
			args = append(args, "-e", "syscalls:sys_enter_"+name)
		}
	}
	return append(args, "-p", strings.Join(pids, ","))
}

// readPerf reads lines such as 1234,,syscalls:sys_enter_read,…
func readPerf(out string) map[string]float64 {
	counts := map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Split(line, ",")
		if len(fields) < 3 {
			continue
		}
		n, err := strconv.ParseFloat(fields[0], 64)
		name, ok := strings.CutPrefix(fields[2], "syscalls:sys_enter_")
		if !ok {
			name = total
		}
		if err == nil {
			counts[name] = n
		}
	}
	return counts
}

// readStrace reads lines such as 12.34 0.001234 3 411 2 read, where the errors may be missing.
func readStrace(out string) map[string]float64 {
	counts := map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		n, err := strconv.ParseFloat(fields[3], 64)
		name := fields[len(fields)-1]
		if err == nil {
			counts[name] = n
		}
	}
	return counts
}

// syscalls counts the system calls of a match over all processes, by name; "total" is all but the waits. The league
// plays one more slice for it.
func (a *arena) syscalls(ctx context.Context, length time.Duration) (map[string]float64, error) {
	for _, t := range tracers {
		if _, err := exec.LookPath(t.name); err != nil {
			continue
		}
		counts, err := a.trace(ctx, t, length)
		if err == nil {
			return counts, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
	}
	return nil, errors.New("--syscalls: neither perf nor strace can count here; install strace (apt-get install strace) and run as root")
}

// trace counts the system calls of the league's processes for a while, by name.
func (a *arena) trace(ctx context.Context, t tracer, length time.Duration) (map[string]float64, error) {
	var pids []string
	for _, p := range []*process{a.manager, a.referee, a.crowd} {
		pids = append(pids, strconv.Itoa(p.pid()))
	}
	cmd := exec.Command(t.name, t.args(pids)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() { _ = cmd.Process.Kill() }()
	if err := sleep(ctx, 500*time.Millisecond); err != nil { // until it is attached, which is checked below
		return nil, err
	}
	played, err := a.play(ctx, length)
	if err != nil {
		return nil, err
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait() // its status is that of the interrupt
	return perMatch(t.read(out.String()), played)
}

// perMatch divides counts by matches and leaves the waits out of their sum. What the system itself has counted tells
// whether the tracer was there all the time.
func perMatch(counts map[string]float64, played slice) (map[string]float64, error) {
	if there := counts["read"] + counts["write"]; there < 0.9*played.sum(transfers) {
		return nil, fmt.Errorf("the tracer saw %.0f of %.0f reads and writes", there, played.sum(transfers))
	}
	for name, n := range counts {
		if slices.Contains(waits, name) {
			counts[total] -= n
			delete(counts, name)
		}
	}
	out := map[string]float64{}
	for name, n := range counts {
		if n > 0 {
			out[name] = n / played.matches
		}
	}
	return out, nil
}

// inOrder lists counts in words, the most frequent first, without those that hardly any match makes.
func inOrder(counts map[string]float64) (out []string) {
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int { return cmp.Compare(counts[y], counts[x]) })
	for _, name := range names {
		if counts[name] >= 0.1 {
			out = append(out, fmt.Sprintf("%s %.1f", name, counts[name]))
		}
	}
	return out
}
