package exec

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	osexec "os/exec"
	"time"

	"agentleague/internal/child"
)

// longestLine limits the answer of a program, in bytes.
const longestLine = 1 << 20

// A program is a running external program.
type program struct {
	cmd   *osexec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	lines chan []byte   // that it has written
	done  chan struct{} // closed when it is gone
	err   error         // then: how it ended
}

// run starts a program. Its standard error is copied to stderr.
func run(path string, args []string, stderr io.Writer) (*program, error) {
	p := &program{cmd: child.Command(path, args, stderr), lines: make(chan []byte, 16), done: make(chan struct{})}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.listen()
	return p, nil
}

// listen reads the lines that the program writes, until it exits.
func (p *program) listen() {
	defer close(p.done)
	scan := bufio.NewScanner(p.out)
	scan.Buffer(nil, longestLine)
	for scan.Scan() {
		if line := bytes.TrimSpace(scan.Bytes()); len(line) > 0 {
			p.lines <- bytes.Clone(line)
		}
	}
	close(p.lines)
	if err := scan.Err(); errors.Is(err, bufio.ErrTooLong) {
		p.err = fmt.Errorf("wrote a line of more than %d bytes", longestLine)
		child.Kill(p.cmd)
	}
	if err := p.cmd.Wait(); p.err == nil {
		p.err = err
	}
}

// ask writes a line and returns the next line from the program. Lines that arrived before the question are discarded.
func (p *program) ask(ctx context.Context, line []byte) ([]byte, error) {
	for len(p.lines) > 0 {
		<-p.lines
	}
	written := make(chan error, 1)
	go func() { _, err := p.in.Write(line); written <- err }() // it may never be read
	for {
		select {
		case answer, more := <-p.lines:
			if !more {
				<-p.done
				return nil, p.death()
			}
			return answer, nil
		case err := <-written:
			if written = nil; err != nil {
				return nil, p.deafness(ctx, err)
			}
		case <-ctx.Done():
			return nil, errors.New("did not answer in time, and was ended")
		}
	}
}

// death returns the error for a program that has exited, with its status.
func (p *program) death() error {
	if p.err != nil {
		return fmt.Errorf("ended before it answered: %w", p.err)
	}
	return errors.New("ended before it answered")
}

// deafness explains a failed write to the program, usually by its exit status.
func (p *program) deafness(ctx context.Context, err error) error {
	select {
	case <-p.done:
		return p.death()
	case <-ctx.Done():
	case <-time.After(child.Grace):
	}
	return fmt.Errorf("does not read its standard input: %w", err)
}

// ended reports whether the program is gone.
func (p *program) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// close closes the program's standard input so that it can exit, and kills it if it does not.
func (p *program) close() {
	_ = p.in.Close() // it may be gone
	go p.discard()
	select {
	case <-p.done:
	case <-time.After(child.Grace):
	}
	p.kill()
}

// kill kills the program and its child processes, and waits until it has exited.
func (p *program) kill() {
	child.Kill(p.cmd)
	_ = p.in.Close()  // ends blocked writers
	_ = p.out.Close() // a child process may hold it open still
	go p.discard()
	<-p.done
}

// discard reads and drops the program's remaining output.
func (p *program) discard() {
	for range p.lines { // until it is closed
	}
}
