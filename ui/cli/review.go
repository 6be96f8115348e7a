package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/engine"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/review"
)

func reviewCommand(p *program) *cobra.Command {
	var all, every, patch bool
	var digest digestFlags
	cmd := &cobra.Command{
		Use:         "review",
		Annotations: map[string]string{overview: "what waits", pages: "", changes: "patch", noJSON: "patch"},
		Short:       "List and decide what agents changed and want to change",
		RunE: func(cmd *cobra.Command, _ []string) error {
			f := versions.HeldFilter{State: versions.HeldWaiting, Session: versions.SessionID(p.session)}
			if all {
				f.State = ""
			}
			if err := digest.parse(cmd, p.now()); err != nil {
				return err
			}
			switch {
			case !digest.from.IsZero() && every:
				return p.withTrail(cmd.Context(), func(t *engine.Trail) error { return digest.allStores(cmd.Context(), &p.console, t, f.Session) })
			case !digest.from.IsZero():
				return p.withPast(cmd.Context(), nil, func(s *engine.Store) error { return digest.one(cmd.Context(), &p.console, s, f.Session) })
			case patch:
				if err := p.mayDecide("review"); err != nil {
					return err
				}
				return p.withStore(cmd.Context(), func(s *engine.Store) error { return reviewPatch(cmd, &p.storeOpener, s, f.Session) })
			case every:
				return p.withTrail(cmd.Context(), func(t *engine.Trail) error { return reviewAllStores(cmd.Context(), &p.console, t, f) })
			}
			return p.withPast(cmd.Context(), nil, func(s *engine.Store) error {
				n, err := listQueue(cmd.Context(), &p.console, s, f)
				if err == nil && n == 0 {
					reportEmpty(&p.console, s, "nothing waits for review")
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "list decided ones too")
	cmd.Flags().BoolVarP(&patch, "patch", "p", false, "ask about each hunk that agents changed, as git add -p does")
	cmd.Flags().BoolVar(&every, "all-stores", false, "list those of all stores of the home")
	digest.add(cmd)
	cmd.Annotations[filters] = ""
	cmd.AddCommand(reviewShowCommand(p), reviewKeepCommand(p), reviewUndoCommand(p), reviewAcceptCommand(p), reviewEditCommand(p), reviewRejectCommand(p))
	return cmd
}

func reviewAllStores(ctx context.Context, p *console, t *engine.Trail, f versions.HeldFilter) error {
	total := 0
	err := eachStore(ctx, p, t, "listed", func(info versions.StoreInfo) error {
		return withOpenPast(ctx, p, t, info, nil, func(s *engine.Store) error {
			n, err := listQueue(ctx, p, s, f)
			total += n
			return err
		})
	})
	if err == nil && total == 0 && !p.json {
		fmt.Fprintln(p.err, "memend: nothing waits for review in any store")
	}
	return err
}

type heldJSON struct {
	Number   int64  `json:"held"`
	StoreID  string `json:"memory_store_id"`
	Kind     string `json:"kind"`
	Path     string `json:"path"`
	To       string `json:"to_path,omitempty"`
	Memories int    `json:"memories"`
	authorJSON
	Rule      string          `json:"rule,omitempty"`
	Earlier   int64           `json:"rejected_as,omitempty"`
	State     string          `json:"state"`
	DecidedAt stamp           `json:"decided_at,omitzero"`
	DecidedBy *versions.Actor `json:"decided_by,omitempty"`
	Change    int64           `json:"change,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Plan      *planJSON       `json:"plan,omitempty"` // of review show
}

func heldOf(h versions.Held) heldJSON {
	j := heldJSON{Number: h.Number, StoreID: string(h.Store), Kind: string(h.Kind), Path: h.Path.Tool(), Memories: h.Items,
		authorJSON: authorJSON{&h.By.Actor, string(h.By.Session), h.By.ToolUse, h.By.Turn, doorName(h.By.Door), inputsOf(h.Inputs), false, stamp(h.Time)}, Rule: h.Rule, State: string(h.State), DecidedAt: stamp(h.Decided), Change: h.Change, Reason: h.Reason}
	if !h.To.IsRoot() {
		j.To = h.To.Tool()
	}
	if h.Earlier != nil {
		j.Earlier = h.Earlier.Number
	}
	if h.DecidedBy != (versions.Actor{}) {
		j.DecidedBy = &h.DecidedBy
	}
	return j
}

// inputsOf lists kinds of sources as JSON has them.
func inputsOf(in versions.Inputs) []string {
	if in == 0 {
		return nil
	}
	return strings.Split(in.String(), ", ")
}

// listQueue prints the review queue of a store: what waits, and below it what is applied and not reviewed. It
// returns how many lines that are.
func listQueue(ctx context.Context, p *console, s *engine.Store, f versions.HeldFilter) (waiting int, err error) {
	if f.Session, err = homeSession(ctx, s.Trail, f.Session); err != nil {
		return 0, err
	}
	waiting, err = listHeld(ctx, p, s, f)
	if err != nil {
		return waiting, err
	}
	made, err := listMade(ctx, p, s, f)
	return waiting + made, err
}

// listHeld prints the held changes of a store and returns their number.
func listHeld(ctx context.Context, p *console, s *engine.Store, f versions.HeldFilter) (int, error) {
	hs, err := review.Held(ctx, s, f)
	review.SortHeld(hs)
	for _, h := range hs {
		if p.json {
			p.emit(heldOf(h))
			continue
		}
		state, to := "", ""
		if f.State == "" {
			state = fmt.Sprintf("%-8s  ", strings.TrimPrefix(string(h.State), string(versions.HeldWaiting)))
		}
		if !h.To.IsRoot() {
			to = " -> " + p.toolPath(h.To)
		}
		p.tableLine(fmt.Sprintf("#%-4d %s  %-16s  %-7s %s", h.Number, when(h.Time), p.safe(actors.Name(h.By.Actor)), h.Kind.Verb(), state), p.toolPath(h.Path), to+afterInputs(h.Inputs))
	}
	return len(hs), err
}

// afterInputs returns what a session took in before, as an addition to a line.
func afterInputs(in versions.Inputs) string {
	if in == 0 {
		return ""
	}
	return "  after " + in.String()
}

// eachHeld runs do for held changes that are named by their numbers, 7 or #7, of the store that is named, or else of any store of the
// home. It first checks all of them.
func eachHeld(p *storeOpener, cmd *cobra.Command, args []string, check func(versions.Held) error, do func(*engine.Store, versions.Held) error) error {
	numbers, err := heldNumbers(cmd, args)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	p.makes = false // no change is held in a store that does not exist yet
	return p.withTrail(ctx, func(t *engine.Trail) error {
		here, err := p.chooseStore(ctx, t)
		if err != nil && p.requestedStore() != "" {
			return err
		}
		var all []versions.Held
		for _, n := range numbers {
			h, err := review.HeldChange(ctx, t, n)
			if err != nil {
				return err
			}
			if h.Store != here.ID && p.requestedStore() != "" {
				there, err := findStore(ctx, t, string(h.Store))
				if err != nil {
					return err
				}
				return &refusal{&hinted{fmt.Errorf("%s #%d: it is held in store %s, not in store %s", cmd.Name(), n, there.Name, here.Name),
					fmt.Sprintf("`memend review %s %d -s %s`", cmd.Name(), n, shellWord(there.Name))}}
			}
			if err := check(h); err != nil {
				return err
			}
			all = append(all, h)
		}
		return eachOf(ctx, &p.console, all, func(h versions.Held) error {
			return withOpen(ctx, t, versions.StoreInfo{ID: h.Store}, synced(ctx, &p.console, func(s *engine.Store) error {
				if p.named = p.store; h.Store != here.ID {
					p.named = s.Info().Name
				}
				return do(s, h)
			}))
		})
	})
}

// eachOf does something about each of several things. What fails leaves the others, and is reported: then the command failed, even if it
// was refused, because something was written.
func eachOf[T any](ctx context.Context, p *console, all []T, do func(T) error) error {
	if len(all) == 1 {
		return do(all[0])
	}
	var failed error
	done := false
	for _, one := range all {
		err := do(one)
		switch {
		case err == nil:
			done = true
			continue
		case ctx.Err() != nil:
			return err
		}
		if err := p.flush(); err != nil { // what was done before is printed first
			return err
		}
		reportError(p, err)
		failed = errors.Join(failed, errReported, err)
	}
	if done && failed != nil {
		return errReported
	}
	return failed
}

// decideHeld is eachHeld for a person's decision about changes that wait for one.
func decideHeld(p *storeOpener, cmd *cobra.Command, args []string, do func(*engine.Store, versions.Held) error) error {
	if numbers, err := heldNumbers(cmd, args); err != nil {
		return err
	} else if err := p.mayDecide(fmt.Sprintf("%s #%d", cmd.Name(), numbers[0])); err != nil {
		return err
	}
	return eachHeld(p, cmd, args, func(h versions.Held) error {
		if h.State != versions.HeldWaiting {
			return &refusal{&versions.DecidedError{Held: h}}
		}
		return nil
	}, do)
}

func heldNumbers(cmd *cobra.Command, args []string) (out []int64, err error) {
	for _, arg := range args {
		n, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
		if err != nil || n < 1 {
			return nil, misusef(cmd.CommandPath(), "%s: must be the number of a held change", arg)
		}
		out = append(out, n)
	}
	return out, nil
}

func reviewAcceptCommand(p *program) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:         "accept NUMBER...",
		Annotations: map[string]string{changes: always},
		Short:       "Accept held changes",
		RunE: func(cmd *cobra.Command, args []string) error {
			choice, err := f.choice(cmd.CommandPath())
			if err != nil {
				return err
			}
			return decideHeld(&p.storeOpener, cmd, args, func(s *engine.Store, h versions.Held) error {
				return acceptHeld(cmd.Context(), &p.caller, s, h, choice)
			})
		},
	}
	f.add(cmd)
	_ = cmd.Flags().MarkHidden("dry-run") // review show is that
	return cmd
}

func acceptHeld(ctx context.Context, p *caller, s *engine.Store, h versions.Held, choice planning.Choice) error {
	plan, err := vplan.Make(ctx, s, vplan.Accept(h.Number))
	if err != nil {
		return err
	}
	choices := map[versions.MemoryID]planning.Choice{}
	for _, it := range plan.Conflicts {
		choices[it.Memory] = choice
	}
	shown := plan
	if choice.Kind != planning.Undecided {
		if shown, err = vplan.Decided(ctx, s, plan.Goal, choices); err != nil {
			return err
		}
	}
	if err := printHeld(ctx, &p.console, s, h, shown); err != nil {
		return err
	}
	if len(plan.Conflicts) > 0 && choice.Kind == planning.Undecided {
		refused := versions.ConflictsError{Conflicts: plan.Conflicts, Rest: len(plan.Clean)+len(plan.Merged) > 0}
		return &refusal{&hinted{fmt.Errorf("accept #%d: it conflicts with what changed since", h.Number), conflictHint(&refused, "the held text")}}
	}
	if !p.confirm(fmt.Sprintf("Accept #%d?", h.Number)) {
		return nil
	}
	return sendAndReport(ctx, &p.console, s, func(ctx context.Context) (versions.Change, error) {
		return review.Accept(ctx, s, p.by, plan, choices)
	})
}

func reviewEditCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:         "edit NUMBER",
		Annotations: map[string]string{changes: always},
		Short:       "Edit the text of a held change in $EDITOR, then accept it",
		RunE: func(cmd *cobra.Command, args []string) error {
			return decideHeld(&p.storeOpener, cmd, args, func(s *engine.Store, h versions.Held) error {
				editor, err := editorCommand(&p.storeOpener, cmd, "a person edits it, at a terminal")
				if err != nil {
					return err
				}
				return editHeld(&p.caller, cmd, s, h, editor)
			})
		},
	}
}

func editHeld(p *caller, cmd *cobra.Command, s *engine.Store, h versions.Held, editor string) error {
	ctx := cmd.Context()
	plan, err := vplan.Make(ctx, s, vplan.Accept(h.Number))
	if err != nil {
		return err
	}
	items := slices.Concat(plan.Clean, plan.Merged)
	if len(plan.Conflicts) > 0 || len(items) != 1 || !items[0].Then.There() {
		return &refusal{&hinted{fmt.Errorf("edit #%d: only one text without conflicts can be edited", h.Number), fmt.Sprintf("`memend review show %d` shows it; the TUI merges conflicts", h.Number)}}
	}
	d, err := itemDifference(ctx, s, items[0])
	if err != nil {
		return err
	}
	edited := draft{what: fmt.Sprintf("edit #%d", h.Number), name: drafts.EditName(items[0].Then.Path), text: d.new}
	return edited.edit(&p.console, cmd, s, editor, func(text []byte) error {
		if bytes.Equal(text, d.new) {
			p.answer(heldOf(h), "nothing was decided: the text was not edited; %s accepts it as it is", p.hintText(fmt.Sprintf("`memend review accept %d`", h.Number)))
			return nil
		}
		c, err := review.Accept(ctx, s, p.by, plan, map[versions.MemoryID]planning.Choice{items[0].Memory: {Kind: planning.OwnText, Text: text}})
		if err == nil {
			reportChange(&p.console, c)
		}
		return err
	})
}

func reviewRejectCommand(p *program) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:         "reject NUMBER...",
		Annotations: map[string]string{changes: always},
		Short:       "Reject held changes",
		RunE: func(cmd *cobra.Command, args []string) error {
			return decideHeld(&p.storeOpener, cmd, args, func(s *engine.Store, h versions.Held) error {
				if !p.json {
					if err := showHeld(cmd.Context(), &p.console, s, h); err != nil { // what can't be shown can be rejected
						reportError(&p.console, err)
					}
				}
				if !p.confirm(fmt.Sprintf("Reject #%d? This can't be undone.", h.Number)) {
					return nil
				}
				if err := review.Reject(cmd.Context(), s, p.by, h.Number, reason); err != nil {
					return err
				}
				if err := reportRejected(cmd.Context(), &p.console, s, h); err != nil {
					return err
				}
				return reportForgotten(cmd.Context(), &p.console, s.Trail, h)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "tell the agent `TEXT`")
	return cmd
}

// reportForgotten says if no line of a rejected change is remembered. A deletion and a rename have none.
func reportForgotten(ctx context.Context, p *console, t *engine.Trail, h versions.Held) error {
	remembered, err := review.Remembered(ctx, t, h.Number)
	if err == nil && !remembered && h.Kind != versions.KindDelete && h.Kind != versions.KindRename {
		fmt.Fprintf(p.err, "memend: nothing of #%d is remembered, and it may be written again: no line has %d bytes or more\n", h.Number, review.MinRejected)
	}
	return err
}

func reportRejected(ctx context.Context, p *console, s *engine.Store, h versions.Held) error {
	if !p.json {
		of := ""
		if p.named != "" {
			of = " of store " + p.safe(s.Info().Name)
		}
		p.println("rejected #%d %s%s", h.Number, p.toolPath(h.Path), of)
		return nil
	}
	h, err := review.HeldChange(ctx, s.Trail, h.Number)
	if err == nil {
		p.emit(heldOf(h))
	}
	return err
}
