package wasm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// compilerArgument is the first argument of a process that compiles one module and exits. Every program that imports
// this package supports it by init, including test binaries.
const compilerArgument = "internal-compile-game-module"

// refused is the exit status of a child process that printed why the module cannot be used.
const refused = 3

// limits are those of one child process.
type limits struct {
	time   time.Duration
	memory int64 // bytes
}

// compilerLimits are several times what a module of [maxModule] bytes from a common compiler needs.
var compilerLimits = limits{time: 30 * time.Second, memory: 512 << 20}

// compiling limits the number of concurrent child processes.
var compiling = make(chan struct{}, 2)

// compileAside validates a module and compiles it into a compilation cache in dir, in a child process. The child runs
// this program's executable, so that the cache is compatible. It is killed when ctx ends.
func compileAside(ctx context.Context, dir string, code []byte) error {
	select {
	case compiling <- struct{}{}:
		defer func() { <-compiling }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	self, err := executable()
	if err != nil {
		return fmt.Errorf("the process that compiles it: %w", err)
	}
	most := compilerLimits
	limited, cancel := context.WithTimeout(ctx, most.time+5*time.Second) // the child ends itself before
	defer cancel()
	cmd := exec.CommandContext(limited, self, compilerArgument, dir, most.time.String(), strconv.FormatInt(most.memory, 10))
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = bytes.NewReader(code), &out, &errs, []string{}
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	exit := (*exec.ExitError)(nil)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &exit) && exit.ExitCode() == refused:
		return errors.New(out.String())
	}
	said, _, _ := strings.Cut(errs.String(), "\n")
	return fmt.Errorf("the process that compiles it: %w: %s", err, cmp.Or(said, "without a message"))
}

// executable returns the path of this program. On Linux it stays valid when the file is replaced.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// init turns this process into a compiler if its arguments request it. It is not in main because the test binaries of
// all packages that load games must support it too.
func init() {
	if len(os.Args) != 5 || os.Args[1] != compilerArgument {
		return
	}
	if err := compilerMain(os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Print(err)
		os.Exit(refused)
	}
	os.Exit(0)
}

// compilerMain compiles the module on standard input into a cache in dir. It returns an error above the limits.
func compilerMain(dir, duration, memory string) error {
	most, err := parseLimits(duration, memory)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), most.time)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- compileInto(ctx, dir, os.Stdin) }()
	return most.watch(ctx, done)
}

// parseLimits parses limits as compileAside formats them.
func parseLimits(duration, memory string) (limits, error) {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return limits{}, err
	}
	bytes, err := strconv.ParseInt(memory, 10, 64)
	return limits{d, bytes}, err
}

// compileInto validates a module and compiles it into a cache in dir.
func compileInto(ctx context.Context, dir string, from io.Reader) error {
	code, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	if err := validate(ctx, code); err != nil {
		return err
	}
	counted, err := metered(code, maxSteps)
	if err != nil {
		return err
	}
	_, err = load(ctx, dir, counted)
	return err
}

// watch returns the result from done, or an error for the limit that was reached first. The compiler cannot be
// interrupted, so the caller must then exit the process.
func (l limits) watch(ctx context.Context, done <-chan error) error {
	debug.SetMemoryLimit(l.memory * 3 / 4) // the collector works harder before the limit is reached
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return fmt.Errorf("it takes more than %v to compile: split its large functions, or leave some out", l.time)
		case <-tick.C:
			if used() > l.memory {
				return fmt.Errorf("it takes more than %d MiB of memory to compile: split its large functions, or leave some out", l.memory>>20)
			}
		}
	}
}

// used returns the number of bytes that the Go runtime has obtained from the system and not released.
func used() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
