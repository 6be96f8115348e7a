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
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/watch"
)

// lineMode is memend for screen readers and plain terminals: it prompts for one command per
// line and prints lines. Every action of the TUI is available as a command; changes by
// others are reported before the next prompt. As in the TUI, transcripts are searched for
// who wrote a file, if the settings allow it.
func lineMode(ctx context.Context, p *storeOpener, t *engine.Trail, info versions.StoreInfo, transcripts bool) error {
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, _, err := watch.SyncAndWatch(ctx, s)
	if err != nil {
		return err
	}
	if transcripts {
		openStore := func(id versions.StoreID) *engine.Store {
			if id == info.ID {
				return s
			}
			return nil
		}
		stop := (&callRecorder{now: p.now, t: t, open: openStore}).followTranscripts(ctx, func([]agent.Event) {}) // the results appear in the trail
		defer stop()
	}
	entries, err := history.Tree(ctx, s)
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
		printOthersChanges(&p.console, events)
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
			oneLine(ctx, p, info, line)
		}
	}
}

// oneLine runs a command in the current store. It prints an error, if there is one, and
// goes on.
func oneLine(ctx context.Context, p *storeOpener, info versions.StoreInfo, line string) {
	args, err := editing.SplitCommand(line)
	if err != nil {
		reportError(&p.console, err)
		return
	}
	if args[0] == "memend" && len(args) > 1 {
		args = args[1:]
	}
	in := p.in
	switch args[0] {
	case "write":
		fmt.Fprintln(p.err, "Type the text; end it with a line that has only a full stop:")
		in = &untilStop{lines: lineReader{r: p.in}}
	case "tool":
		fmt.Fprintln(p.err, "Type commands of the memory tool; end them with a line that has only a full stop:")
		in = &untilStop{lines: lineReader{r: p.in}}
	case "mcp", "hook":
		in = strings.NewReader("") // these read what another program sends: the next line typed is a command
	case "watch", "agent", "serve":
		fmt.Fprintln(p.err, "Ctrl+C ends it and returns here.")
	}
	one := newProgram(console{in: in, out: p.out, stdout: p.stdout, err: p.err, terminal: p.terminal, now: p.now})
	one.fault, one.me.actor, one.me.session, one.me.typed = p.fault, p.actor, p.session, p.me.typed
	root := rootCommand(one)
	for name, value := range map[string]string{"home": p.home, "store": string(info.ID), "config": p.config} {
		if value != "" {
			_ = root.PersistentFlags().Set(name, value)
		}
	}
	if p.overrides.readOnly {
		_ = root.PersistentFlags().Set("read-only", "true")
	}
	if found, _, err := root.Find(args); err == nil && found == root && !strings.HasPrefix(args[0], "-") {
		reportError(&p.console, unknownCommand(root, args[0]))
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
	reportError(&one.console, err)
}

// printOthersChanges prints what others did since the last prompt.
func printOthersChanges(p *console, events <-chan versions.Event) {
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
					p.println("News: change %d by %s: %s", c.Number, authorInWords(p, c), describeChange(p, c))
				}
			}
			for _, c := range e.Attributed {
				p.println("News: change %d is by %s, %s", c.Number, authorInWords(p, c), p.safe(c.Path.Tool()))
			}
		default:
			return
		}
	}
}

// authorInWords returns who made a change, in words: screen readers skip signs.
func authorInWords(p *console, c versions.Change) string {
	who := p.safe(actors.Name(c.Actor))
	if c.Inferred {
		who += " (inferred)"
	}
	return who
}

// lineReader reads a line and not a byte more: the rest belongs to the command on that
// line, which may ask a question itself.
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

// untilStop reads lines up to one with only a full stop, as mail and ed do, because the end
// of the input must not end the program.
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
