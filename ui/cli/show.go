package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

func (p *program) showCommand() *cobra.Command {
	var bare bool
	show := p.refCommand(func(ctx context.Context, s *engine.Store, refs []ref) error {
		if refs[0].change > 0 {
			return p.showChange(ctx, s, refs[0].change)
		}
		v, of, err := p.versionAndLines(ctx, s, "memend show", refs[0])
		if err != nil {
			return err
		}
		return p.showVersion(ctx, s, v, of, bare)
	})
	cmd := &cobra.Command{
		Use:               "show VERSION[:LINES]|CHANGE|SESSION",
		Annotations:       map[string]string{pages: ""},
		Short:             "Show a version, a change, or the conversation of a session",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completeVersions,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch id := versions.SessionID(p.session); {
			case len(args) == 0 && id == "":
				return misusef(cmd.CommandPath(), "name a version, a change or a session")
			case len(args) == 0:
				return p.showSession(cmd.Context(), id)
			}
			if p.isSession(cmd.Context(), args[0]) {
				return p.showSession(cmd.Context(), versions.SessionID(args[0]))
			}
			err := show(cmd, args)
			if (errors.Is(err, versions.ErrNoMemory) || errors.As(err, new(*noStoreHere))) && p.beginsSession(cmd.Context(), args[0]) {
				return p.showSession(cmd.Context(), versions.SessionID(args[0]))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&bare, "content", false, "print only the content of the version, byte for byte")
	return cmd
}

func (p *console) showVersion(ctx context.Context, s *engine.Store, v versions.Version, of lines, bare bool) error {
	content := func() ([]byte, error) {
		b, err := history.Content(ctx, s, v.ID)
		if err != nil {
			return nil, err
		}
		return of.of(b, p.versionName(v))
	}
	if bare {
		b, err := content()
		if err != nil {
			return err
		}
		p.raw(b)
		return nil
	}
	j := versionOf(v)
	var err, damaged error
	if j.Message, j.Email, err = history.Message(ctx, s, v.Change); err != nil {
		return err
	}
	if v.Redacted.IsZero() && v.Operation != versions.Deleted {
		b, err := content()
		switch {
		case err == nil:
			j.linesJSON, j.textJSON = of.json(), textOf(b)
		case v.Damaged:
			damaged = err // everything but the content is shown
		default:
			return err
		}
	}
	if p.json {
		p.emit(j)
		return damaged
	}
	p.versionHead(v, j.commitJSON)
	switch {
	case v.Lost():
		p.println("lost      to damage, as a repair found on %s", when(v.Redacted))
	case !v.Redacted.IsZero():
		p.println("redacted  by %s on %s", p.actorText(v.RedactedBy), when(v.Redacted))
	case v.Size > versions.DefaultMaxBytes: // an earlier release kept it
		p.println("over %s; `memend show --content %s` prints it", units.Bytes(versions.DefaultMaxBytes), v.ID)
	case j.Content != nil:
		p.println("")
		p.raw([]byte(*j.Content))
	case j.Encoded != nil:
		p.println("not UTF-8 text; `memend show --content %s` prints its bytes", v.ID)
	}
	return damaged
}

func (p *console) versionHead(v versions.Version, c commitJSON) {
	p.println("version   %s (%s, change %d)", v.ID, p.versionName(v), v.Change)
	from := ""
	if v.Renamed() {
		from = " from " + p.safe(v.From.Tool())
	}
	from += p.across(v)
	p.println("          %s%s by %s on %s", wording.Did(v), from, p.actorText(v.Actor), v.Time.Local().Format(time.RFC1123))
	p.printOrigin(v.Inferred, c.Email, v.Session, v.ToolUse)
	if v.Operation != versions.Deleted && v.Redacted.IsZero() {
		p.println("content   %s, sha256 %s, +%d -%d lines", units.Bytes(v.Size), v.SHA256, v.Added, v.Removed)
	}
	p.message(c)
}

// message prints the message of a commit, indented as in git.
func (p *console) message(c commitJSON) {
	if c.Message == "" {
		return
	}
	p.println("")
	for line := range strings.Lines(c.Message) {
		p.println("%s", strings.TrimRight("    "+p.safe(strings.TrimRight(line, "\r\n")), " "))
	}
}

// versionName names a version by its path, if it has one.
func (p *console) versionName(v versions.Version) string {
	if !v.Redacted.IsZero() {
		return fmt.Sprintf("version %d of %s", v.Number, v.Memory)
	}
	return fmt.Sprintf("%s@%d", p.safe(v.Path.Tool()), v.Number)
}

// printOrigin prints how it is known who made a change, and its session and tool call.
func (p *console) printOrigin(inferred bool, email string, session versions.SessionID, toolUse string) {
	if inferred {
		p.println("inferred  from what the agent's own program reported of its calls; memend did not see the write")
	}
	if email != "" {
		p.println("e-mail    %s", p.safe(email))
	}
	if session != "" {
		p.println("session   %s", p.safe(string(session)))
	}
	if toolUse != "" {
		p.println("tool use  %s", p.safe(toolUse))
	}
}

// maker formats an actor for a column, with a sign if it is inferred.
func maker(a versions.Actor, inferred bool) string {
	if inferred {
		return actors.InferredSign + actors.Name(a)
	}
	return actors.Name(a)
}

// actorText formats an actor with its kind.
func (p *console) actorText(a versions.Actor) string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return fmt.Sprintf("%s (%s)", p.safe(actors.Name(a)), a.Kind)
}

func (p *console) showChange(ctx context.Context, s *engine.Store, n int64) error {
	c, vs, err := history.Change(ctx, s, n)
	if err != nil {
		return err
	}
	j := changeOf(c)
	if j.Message, _, err = history.Message(ctx, s, n); err != nil {
		return err
	}
	if p.json {
		for _, v := range vs {
			j.Versions = append(j.Versions, versionOf(v))
		}
		p.emit(j)
		return nil
	}
	p.println("change    %d: %s", c.Number, p.describeChange(c))
	p.println("          by %s on %s", p.actorText(c.Actor), c.Time.Local().Format(time.RFC1123))
	p.printOrigin(c.Inferred, j.Email, c.Session, c.ToolUse)
	if c.UndoneBy > 0 {
		p.println("undone    by change %d", c.UndoneBy)
	}
	p.message(j.commitJSON)
	for _, l := range c.Links {
		p.println("link      %s: %s, was %s", p.toolPath(l.Path), cmp.Or(p.safe(l.Now), "none"), cmp.Or(p.safe(l.Was), "none"))
	}
	for _, v := range vs {
		p.println("")
		if err := p.changedVersion(ctx, s, v); err != nil {
			return err
		}
	}
	return nil
}

// changedVersion prints what a version changed.
func (p *console) changedVersion(ctx context.Context, s *engine.Store, v versions.Version) error {
	d, err := versionDiff(ctx, s, v)
	if err != nil {
		return err
	}
	p.println("%s  %s  %s", wording.Did(v), p.versionName(v), v.ID)
	p.difference(d)
	return nil
}

// difference prints a diff, or why there is none.
func (p *console) difference(d difference) {
	if d.from != "" {
		p.println("renamed %s to %s", p.safe(d.from), p.safe(d.to))
	}
	switch {
	case d.redacted:
		p.println("the content was redacted")
	case !utf8.Valid(d.old) || !utf8.Valid(d.new):
		p.println("not UTF-8 text: %s before, %s after", units.Bytes(int64(len(d.old))), units.Bytes(int64(len(d.new))))
	default:
		compared := diff.Lines(d.old, d.new)
		if what := compared.Invisible(); what != "" {
			p.println("%s", what)
		}
		p.diff(compared, d.oldName, d.newName)
		if compared.Identical() && d.from == "" && p.terminal {
			fmt.Fprintln(p.err, "memend: no difference")
		}
	}
}
