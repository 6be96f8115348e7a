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

func showCommand(p *program) *cobra.Command {
	var bare bool
	show := refCommand(&p.storeOpener, func(ctx context.Context, s *engine.Store, refs []ref) error {
		if refs[0].change > 0 {
			return showChange(ctx, &p.console, s, refs[0].change)
		}
		v, of, err := versionAndLines(ctx, s, "memend show", refs[0])
		if err != nil {
			return err
		}
		return showVersion(ctx, &p.console, s, v, of, bare)
	})
	cmd := &cobra.Command{
		Use:               "show VERSION[:LINES]|CHANGE|SESSION",
		Annotations:       map[string]string{overview: "one of them", pages: ""},
		Short:             "Show a version, a change, or the conversation of a session",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completeVersions,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch id := versions.SessionID(p.session); {
			case len(args) == 0 && id == "":
				return misusef(cmd.CommandPath(), "name a version, a change or a session")
			case len(args) == 0:
				return showSession(cmd.Context(), &p.homeOpener, id)
			}
			if isSession(cmd.Context(), &p.homeOpener, args[0]) {
				return showSession(cmd.Context(), &p.homeOpener, versions.SessionID(args[0]))
			}
			err := show(cmd, args)
			if (errors.Is(err, versions.ErrNoMemory) || errors.As(err, new(*noStoreHere))) && beginsSession(cmd.Context(), &p.homeOpener, args[0]) {
				return showSession(cmd.Context(), &p.homeOpener, versions.SessionID(args[0]))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&bare, "content", false, "print only the content of the version, byte for byte")
	return cmd
}

func showVersion(ctx context.Context, p *console, s *engine.Store, v versions.Version, of lines, bare bool) error {
	content := func() ([]byte, error) {
		b, err := history.Content(ctx, s, v.ID)
		if err != nil {
			return nil, err
		}
		return of.of(b, versionName(p, v))
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
	printVersionHead(p, v, j.commitJSON)
	switch {
	case v.Lost():
		p.println("lost      to damage, as a repair found on %s", when(v.Redacted))
	case !v.Redacted.IsZero():
		p.println("redacted  by %s on %s", actorText(p, v.RedactedBy), when(v.Redacted))
	case v.Size > versions.DefaultMaxBytes: // an earlier release kept it
		p.println("over %s; %s prints it", units.Bytes(versions.DefaultMaxBytes), p.hintText(fmt.Sprintf("`memend show --content %s`", v.ID)))
	case j.Content != nil:
		p.println("")
		p.raw([]byte(*j.Content))
	case j.Encoded != nil:
		p.println("not UTF-8 text; %s prints its bytes", p.hintText(fmt.Sprintf("`memend show --content %s`", v.ID)))
	}
	return damaged
}

func printVersionHead(p *console, v versions.Version, c commitJSON) {
	p.println("version   %s (%s, change %d)", v.ID, versionName(p, v), v.Change)
	from := ""
	if v.Renamed() {
		from = " from " + p.safe(v.From.Tool())
	}
	from += across(p, v)
	p.println("          %s%s by %s on %s", wording.Did(v), from, actorText(p, v.Actor), v.Time.Local().Format(time.RFC1123))
	printOrigin(p, v.Inferred, c.Email, v.Session, v.ToolUse)
	if v.Operation != versions.Deleted && v.Redacted.IsZero() {
		p.println("content   %s, sha256 %s, +%d -%d lines", units.Bytes(v.Size), v.SHA256, v.Added, v.Removed)
	}
	printMessage(p, c)
}

// printMessage prints the message of a commit, indented as in git.
func printMessage(p *console, c commitJSON) {
	if c.Message == "" {
		return
	}
	p.println("")
	for line := range strings.Lines(c.Message) {
		p.println("%s", strings.TrimRight("    "+p.safe(strings.TrimRight(line, "\r\n")), " "))
	}
}

// versionName names a version by its path, if it has one.
func versionName(p *console, v versions.Version) string {
	if !v.Redacted.IsZero() {
		return fmt.Sprintf("version %d of %s", v.Number, v.Memory)
	}
	return fmt.Sprintf("%s@%d", p.safe(v.Path.Tool()), v.Number)
}

// printOrigin prints how it is known who made a change, and its session and tool call.
func printOrigin(p *console, inferred bool, email string, session versions.SessionID, toolUse string) {
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
func actorText(p *console, a versions.Actor) string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return fmt.Sprintf("%s (%s)", p.safe(actors.Name(a)), a.Kind)
}

func showChange(ctx context.Context, p *console, s *engine.Store, n int64) error {
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
	p.println("change    %d: %s", c.Number, describeChange(p, c))
	p.println("          by %s on %s", actorText(p, c.Actor), c.Time.Local().Format(time.RFC1123))
	printOrigin(p, c.Inferred, j.Email, c.Session, c.ToolUse)
	if c.UndoneBy > 0 {
		p.println("undone    by change %d", c.UndoneBy)
	}
	printMessage(p, j.commitJSON)
	for _, l := range c.Links {
		p.println("link      %s: %s, was %s", p.toolPath(l.Path), cmp.Or(p.safe(l.Now), "none"), cmp.Or(p.safe(l.Was), "none"))
	}
	for _, v := range vs {
		p.println("")
		if err := changedVersion(ctx, p, s, v); err != nil {
			return err
		}
	}
	return nil
}

// changedVersion prints what a version changed.
func changedVersion(ctx context.Context, p *console, s *engine.Store, v versions.Version) error {
	d, err := versionDiff(ctx, s, v)
	if err != nil {
		return err
	}
	p.println("%s  %s  %s", wording.Did(v), versionName(p, v), v.ID)
	printDifference(p, d)
	return nil
}

// notText is printed instead of a difference that can't be.
func notText(old, new []byte) string {
	return fmt.Sprintf("not UTF-8 text: %s before, %s after", units.Bytes(int64(len(old))), units.Bytes(int64(len(new))))
}

// printDifference prints a diff, or why there is none.
func printDifference(p *console, d difference) {
	if d.from != "" {
		p.println("renamed %s to %s", p.safe(d.from), p.safe(d.to))
	}
	switch {
	case d.redacted:
		p.println("the content was redacted")
	case !utf8.Valid(d.old) || !utf8.Valid(d.new):
		p.println("%s", notText(d.old, d.new))
	default:
		compared := diff.Lines(d.old, d.new)
		if what := compared.Invisible(); what != "" {
			p.println("%s", what)
		}
		printUnified(p, compared, compared.Unified(d.oldName, d.newName, 3), "")
		if compared.Identical() && d.from == "" && p.terminal {
			fmt.Fprintln(p.err, "memend: no difference")
		}
	}
}
