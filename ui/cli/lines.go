package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// lines is memend for screen readers and plain terminals: it asks for a command a
// line and answers in lines. Every action of the screens is a command; what others do
// meanwhile is told before the next question. As with the screens, who wrote a file is
// looked up in transcripts, where the settings have it so.
func (p *program) lines(ctx context.Context, t *versions.Trail, info versions.StoreInfo, transcripts bool) error {
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, _, err := s.SyncAndWatch(ctx)
	if err != nil {
		return err
	}
	if transcripts {
		here := func(id versions.StoreID) *versions.Store {
			if id == info.ID {
				return s
			}
			return nil
		}
		stop := (&hearing{p: p, t: t, open: here}).followTranscripts(ctx, func([]agent.Event) {}) // the trail has what comes of it
		defer stop()
	}
	entries, err := s.Tree(ctx)
	if err != nil {
		return err
	}
	n := 0
	for _, e := range entries {
		if e.Kind == versions.Memory {
			n++
		}
	}
	p.println("Store %s, %s. Type a command; help lists them, quit leaves.", text.Field(info.Name), plural(n, "memory"))
	in := lineReader{r: p.in}
	for {
		p.news(events)
		fmt.Fprint(p.out, text.Field(info.Name)+"> ")
		_ = p.out.Flush()
		line, err := in.next()
		if line = strings.TrimSpace(line); line == "" && err != nil {
			p.println("")
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		if line == "quit" || line == "exit" || line == "q" {
			return nil
		}
		if line != "" {
			p.oneLine(ctx, info, line)
		}
	}
}

// oneLine carries a command out, in the store at hand. What goes wrong is said, and
// nothing else comes of it.
func (p *program) oneLine(ctx context.Context, info versions.StoreInfo, line string) {
	args, err := editing.SplitCommand(line)
	if err != nil {
		p.exit(err)
		return
	}
	if args[0] == "memend" && len(args) > 1 {
		args = args[1:]
	}
	in := p.in
	switch args[0] {
	case "write":
		fmt.Fprintln(p.err, "The text, until a line that is a full stop and nothing else:")
		in = &untilStop{lines: lineReader{r: p.in}}
	case "tool":
		fmt.Fprintln(p.err, "The commands of the memory tool, until a line that is a full stop and nothing else:")
		in = &untilStop{lines: lineReader{r: p.in}}
	case "mcp", "hook":
		in = strings.NewReader("") // other programs speak to those: what is typed next is a command
	case "watch", "agent", "serve":
		fmt.Fprintln(p.err, "Ctrl+C ends it and leads back here.")
	}
	one := &program{in: in, out: p.out, stdout: p.stdout, err: p.err, terminal: p.terminal, now: p.now, fault: p.fault}
	one.me.actor, one.me.session, one.me.typed = p.actor, p.session, p.atTerminal()
	root := one.root()
	for name, value := range map[string]string{"home": p.home, "store": string(info.ID), "config": p.config} {
		if value != "" {
			_ = root.PersistentFlags().Set(name, value)
		}
	}
	if p.wishes.readOnly {
		_ = root.PersistentFlags().Set("read-only", "true")
	}
	root.InitDefaultHelpCmd() // else it is a command only when one is carried out
	if found, _, err := root.Find(args); err == nil && found == root && !strings.HasPrefix(args[0], "-") {
		p.exit(&misuse{errors.New(args[0] + ": no such command"), "memend"})
		return
	}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	err = root.ExecuteContext(ctx)
	_ = p.out.Flush()
	if err == nil {
		err = one.unencoded
	}
	one.exit(err)
}

// news tells what others did since the last question.
func (p *program) news(events <-chan versions.Event) {
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			if e.Err != nil {
				p.println("The store can't be read now: %s", text.Field(e.Err.Error()))
			}
			for _, c := range e.Changes {
				if c.Actor.Kind != versions.Person {
					p.println("News: change %d, %s by %s, %s", c.Number, c.Kind, p.newsMaker(c), p.safe(c.Path.Tool()))
				}
			}
			for _, c := range e.Attributed {
				p.println("News: change %d is by %s, %s", c.Number, p.newsMaker(c), p.safe(c.Path.Tool()))
			}
		default:
			return
		}
	}
}

// newsMaker is who made a change, in words: a sign is not read out.
func (p *program) newsMaker(c versions.Change) string {
	who := p.safe(actors.Name(c.Actor))
	if c.Inferred {
		who += " (inferred)"
	}
	return who
}

// lineReader reads lines and not a byte more: what comes after belongs to the
// command that the line is, which may ask something itself.
type lineReader struct{ r io.Reader }

func (l *lineReader) next() (string, error) {
	var b strings.Builder
	one := make([]byte, 1)
	for {
		n, err := l.r.Read(one)
		switch {
		case n > 0 && one[0] == '\n':
			return b.String(), nil
		case n > 0:
			b.WriteByte(one[0])
		case err != nil:
			return b.String(), err
		}
	}
}

// untilStop reads lines up to one that is a full stop and nothing else, as mail and
// ed do: the end of what is typed is not the end of the conversation.
type untilStop struct {
	lines lineReader
	rest  string
	over  bool
}

func (u *untilStop) Read(b []byte) (int, error) {
	for u.rest == "" {
		if u.over {
			return 0, io.EOF
		}
		line, err := u.lines.next()
		if line == "." || err != nil && line == "" {
			u.over = true
			continue
		}
		u.rest, u.over = line+"\n", err != nil
	}
	n := copy(b, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}
