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

// A process is the program, started once more with other arguments.
type process struct {
	cmd      *exec.Cmd
	endpoint string // as it told in its first line
	told     *tail
	ended    chan struct{}
	err      error // why, once it has ended
}

// How long a part may take to say that it is there, and to end.
const (
	startTime = 5 * time.Minute // ten thousand players register in it
	endTime   = 10 * time.Second
)

// start runs a part and returns when it has told where it is.
func start(ctx context.Context, program []string, args ...string) (*process, error) {
	words := append(append([]string{}, program...), args...)
	p := &process{cmd: exec.Command(words[0], words[1:]...), told: &tail{}, ended: make(chan struct{})}
	p.cmd.Stderr = p.told
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
		_, _ = lines.WriteTo(p.told)
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
			return fmt.Errorf("it did not print its address: %s%s", bytes.TrimSpace(line), p.told)
		}
	case <-ctx.Done():
		return fmt.Errorf("it does not start: %w: %s", ctx.Err(), p.told)
	}
	p.endpoint = hello.Endpoint
	return nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// metrics is where the agent shows its figures.
func (p *process) metrics() string { return strings.TrimSuffix(p.endpoint, "/mcp") + "/metrics" }

// stop ends a part: as a person would, and if it does not listen, at once.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.ended:
	case <-time.After(endTime):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// stopAll ends parts, in order: who calls others goes first.
func stopAll(parts ...*process) {
	for _, p := range parts {
		if p != nil {
			p.stop()
		}
	}
}

// A tail keeps the end of what a part says, for when it fails.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is how many bytes of what a process said are kept for the error, if it fails.
const maxTail = 2 << 10

// Write keeps the end of all that was written. It never fails, so that it cannot hold up a process.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(b), nil
}

// String is what was kept, without the space around it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
