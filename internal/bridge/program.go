package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/dialect"
	"agentleague/internal/child"
	"agentleague/rpc"
)

// A program is a running MCP server and the session with it.
type program struct {
	session *mcp.ClientSession
	tools   []*mcp.Tool
	chosen  []string // the names of the tools that may be called

	cmd  *exec.Cmd
	in   io.Closer
	done chan struct{} // closed when it has ended
	err  error         // then: how it ended
}

// startWithin is how long a program may take to start, shake hands and list its tools. Some are downloaded first.
const startWithin = 2 * time.Minute

// protocolVersion is offered in the handshake. Programs of all versions of MCP answer it.
const protocolVersion = "2025-11-25"

// start starts a program and opens a session with it.
func start(o Options) (*program, error) {
	name := o.Command[0]
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("the program cannot be started: %w", err)
	}
	prefix := filepath.Base(name) + ": "
	cmd := child.Command(path, o.Command[1:], &child.Prefixed{To: o.Log, Prefix: prefix})
	cmd.Env = slices.DeleteFunc(cmd.Env, func(variable string) bool { return isKey(variable, o.Env) })
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	read, write := io.Pipe()
	cmd.Stdout = &output{to: write, log: &child.Prefixed{To: o.Log, Prefix: prefix}}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the program cannot be started: %w", err)
	}
	p := &program{cmd: cmd, in: in, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		_ = write.Close()
		close(p.done)
	}()
	if err := p.open(&mcp.IOTransport{Reader: read, Writer: in, MaxLineLength: maxMessage}); err != nil {
		died := p.endedSoon()
		_ = read.Close() // ends a blocked copy of its output
		p.end()
		if died {
			return nil, fmt.Errorf("the program has ended (%v) before it answered as an MCP server", p.status())
		}
		return nil, fmt.Errorf("the program does not answer as an MCP server on its standard output: %w", err)
	}
	p.chosen = o.Chosen(p.described())
	return p, nil
}

// open opens the session and lists the tools.
func (p *program) open(transport mcp.Transport) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	go func() { // the SDK waits on if the program ends during the handshake
		select {
		case <-p.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	if p.session, err = rpc.NewToolClient().Connect(ctx, transport,
		&mcp.ClientSessionOptions{ProtocolVersion: protocolVersion}); err != nil {
		return err
	}
	for tool, err := range p.session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if tool.OutputSchema = nil; len(p.tools) == rpc.MaxTools {
			return fmt.Errorf("it offers more than %d tools", rpc.MaxTools)
		}
		p.tools = append(p.tools, tool)
	}
	return nil
}

// described returns the tools as discovery reads them.
func (p *program) described() []dialect.Tool {
	tools := make([]dialect.Tool, 0, len(p.tools))
	for _, tool := range p.tools {
		schema, _ := json.Marshal(tool.InputSchema)
		tools = append(tools, dialect.Tool{Name: tool.Name, Schema: schema, Description: tool.Description})
	}
	return tools
}

// ended reports whether the program has ended.
func (p *program) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// endedSoon is ended after a call failed: a program that closes its output is about to end.
func (p *program) endedSoon() bool {
	select {
	case <-p.done:
		return true
	case <-time.After(child.Grace):
		return false
	}
}

// status describes how the program has ended.
func (p *program) status() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}

// end closes the standard input of the program so that it can exit, and kills it if it does not. It waits for the end of
// the program, and of all that it has started.
func (p *program) end() {
	_ = p.in.Close() // it may be gone
	p.endedSoon()
	child.Kill(p.cmd)
	if p.session != nil {
		_ = p.session.Close()
	}
	<-p.done
}

// isKey reports whether a variable of the environment looks like a key, and is not one of those to be passed on.
func isKey(variable string, passed []string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return !slices.Contains(passed, name) && slices.ContainsFunc(keyWords, func(word string) bool {
		return strings.Contains(strings.ToUpper(name), word)
	})
}

// keyWords are parts of the names of variables that contain secrets.
var keyWords = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"}

// maxMessage limits a message of the program in bytes.
const maxMessage = 1 << 20

// An output is the standard output of a program. It passes on the messages, which are objects in one line each, and logs
// other lines: many programs print there by mistake.
type output struct {
	to     *io.PipeWriter
	log    io.Writer
	rest   []byte // of a line that is not whole yet
	warned bool   // the mistake was explained
}

// Write takes what the program has printed.
func (o *output) Write(text []byte) (int, error) {
	o.rest = append(o.rest, text...)
	for {
		line, rest, whole := bytes.Cut(o.rest, []byte("\n"))
		switch line = bytes.TrimSpace(line); {
		case !whole && len(o.rest) > maxMessage:
			err := fmt.Errorf("a message of the program has more than %d bytes", maxMessage)
			_ = o.to.CloseWithError(err)
			return 0, err
		case !whole:
			return len(text), nil
		case len(line) > 0 && (line[0] == '{' || line[0] == '['):
			if _, err := o.to.Write(append(bytes.Clone(line), '\n')); err != nil {
				return 0, err
			}
		case len(line) > 0:
			o.complain(line)
		}
		o.rest = rest
	}
}

// complain logs a line that is no message.
func (o *output) complain(line []byte) {
	if !o.warned {
		fmt.Fprintln(o.log, "prints text to standard output, which carries MCP: print to standard error instead; the text is ignored:")
	}
	o.warned = true
	fmt.Fprintf(o.log, "%s\n", line)
}
