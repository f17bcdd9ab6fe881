package bench

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ticks is how many units of /proc/PID/stat a second has: 100 on every Linux that Go runs on.
const ticks = 100

// ioOf returns the read and write calls of a process, to sockets and files alike; 0 where the system does not report
// them.
func ioOf(pid int) (reads, writes float64) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if n, ok := strings.CutPrefix(s.Text(), "syscr: "); ok {
			reads, _ = strconv.ParseFloat(n, 64)
		}
		if n, ok := strings.CutPrefix(s.Text(), "syscw: "); ok {
			writes, _ = strconv.ParseFloat(n, 64)
		}
	}
	return reads, writes
}

// cpuOf returns the user and system time of a process in seconds, to a hundredth; 0 where the system does not report it.
func cpuOf(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	return cpuIn(string(text))
}

// cpuIn reads the line of /proc/PID/stat. The program's name, in brackets, may itself contain spaces and brackets.
func cpuIn(stat string) float64 {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const user, system = 11, 12 // the 14th and 15th of the line
	if len(fields) <= system {
		return 0
	}
	u, _ := strconv.ParseFloat(fields[user], 64)
	s, _ := strconv.ParseFloat(fields[system], 64)
	return (u + s) / ticks
}
