package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A process is this program, started with other arguments.
type process struct {
	cmd      *exec.Cmd
	endpoint string // from its first line of output
	output   *tail
	ended    chan struct{}
	err      error // why, once it has ended
}

// Limits for the start and the end of a part.
const (
	startTime = 5 * time.Minute // ten thousand players register in it
	endTime   = 10 * time.Second
)

// start runs a part and returns when it has printed its endpoint.
func start(ctx context.Context, program []string, args ...string) (*process, error) {
	words := append(append([]string{}, program...), args...)
	p := &process{cmd: exec.Command(words[0], words[1:]...), output: &tail{}, ended: make(chan struct{})}
	p.cmd.Stderr = p.output
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	first := make(chan []byte, 1)
	go func() {
		defer close(p.ended)
		lines := bufio.NewReader(out)
		line, _ := lines.ReadBytes('\n')
		first <- line
		_, _ = lines.WriteTo(p.output)
		p.err = p.cmd.Wait()
	}()
	if err := p.await(ctx, first); err != nil {
		p.stop()
		return nil, fmt.Errorf("league %s: %w", strings.Join(args, " "), err)
	}
	return p, nil
}

// await reads the first line of a part.
func (p *process) await(ctx context.Context, first <-chan []byte) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var hello struct {
		Endpoint string `json:"endpoint"`
	}
	select {
	case line := <-first:
		if err := json.Unmarshal(line, &hello); err != nil || hello.Endpoint == "" {
			return fmt.Errorf("it did not print its address: %s%s", bytes.TrimSpace(line), p.output)
		}
	case <-ctx.Done():
		return fmt.Errorf("it does not start: %w: %s", ctx.Err(), p.output)
	}
	p.endpoint = hello.Endpoint
	return nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// metrics is the URL of the agent's metrics.
func (p *process) metrics() string { return strings.TrimSuffix(p.endpoint, "/mcp") + "/metrics" }

// stop interrupts a part, and kills it after endTime.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.ended:
	case <-time.After(endTime):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// stopAll ends parts in the order given: callers go first.
func stopAll(parts ...*process) {
	for _, p := range parts {
		if p != nil {
			p.stop()
		}
	}
}

// A tail keeps the end of a part's output for its error message.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is how many bytes of output a tail keeps.
const maxTail = 2 << 10

// Write appends to the tail. It never fails, so that it cannot block a process.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(b), nil
}

// String returns the tail without surrounding space.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
