package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
)

func logCommand(p *program) *cobra.Command {
	var operation, since, until string
	var limit int
	var form logForm
	var reads bool
	cmd := &cobra.Command{
		Use:               "log [PATH]",
		Annotations:       map[string]string{overview: "list changes", filters: "", pages: ""},
		Short:             "List changes, or the versions of a memory",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if reads {
				return printReadsOf(&p.storeOpener, cmd, args, limit)
			}
			q := query{form: form, limit: limit, operation: operation}
			if err := q.parse(p.now(), &p.invocation, since, until); err != nil {
				return &misuse{err, cmd.CommandPath()}
			}
			return p.withPast(cmd.Context(), pathsOf(args...), func(s *engine.Store) error {
				return printLog(cmd.Context(), &p.console, s, cmd.CommandPath(), strings.Join(args, ""), q)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&operation, "operation", "", "only `OP`: "+strings.Join(operations, ", "))
	flags.StringVar(&since, "since", "", "only from this `TIME` on")
	flags.StringVar(&until, "until", "", "only up to this `TIME`")
	limitFlag(cmd, &limit, "list at most `N`")
	form.flags(cmd)
	cmd.Flags().BoolVar(&reads, "reads", false, "list who read the memory, instead of its versions")
	complete(cmd, "operation", cobra.FixedCompletions(operations, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// operations are the values of --operation: the words that log prints, and that --json does.
var operations = append([]string{string(versions.Modified)}, wording.Verbs...)

// query holds the flags of log.
type query struct {
	filter    versions.Filter
	name      string // of the actor; its kind is in the filter
	operation string
	limit     int
	form      logForm
}

func (q *query) parse(now time.Time, who *invocation, since, until string) (err error) {
	if q.operation != "" && !slices.Contains(operations, q.operation) {
		return fmt.Errorf("--operation %s: must be one of %s", q.operation, strings.Join(operations, ", "))
	}
	if q.filter.Since, _, err = parseTime("--since", since, now); err != nil {
		return err
	}
	if _, q.filter.Until, err = parseTime("--until", until, now); err != nil {
		return err
	}
	q.filter.Session = versions.SessionID(who.session)
	kind, name, both := strings.Cut(who.actor, ":")
	switch k := versions.ActorKind(kind); {
	case strings.HasPrefix(who.actor, claimPrefix):
		q.name = who.actor
	case both && k != versions.Person && k != versions.Agent && k != versions.APIKey && k != versions.Outside:
		return fmt.Errorf("--actor %s: the kind must be person, agent, api_key or outside", who.actor)
	case both || k == versions.Person || k == versions.Agent || k == versions.APIKey || k == versions.Outside:
		q.filter.Actor, q.name = k, name
	default:
		q.name = kind
	}
	return nil
}

func printLog(ctx context.Context, p *console, s *engine.Store, command, arg string, q query) error {
	var err error
	if q.filter.Session, err = sessionOf(ctx, s, q.filter.Session); err != nil {
		return err
	}
	n, memory := 0, versions.MemoryID("")
	switch {
	case isID(arg, memoryPrefix):
		if memory, err = memoryArg(ctx, s, command, arg); err != nil {
			return err
		}
	case arg != "":
		if q.filter.In, err = pathArg(s, command, arg); err != nil {
			return err
		}
		if memory, err = vhistory.MemoryAt(ctx, s, q.filter.In); errors.Is(err, versions.ErrNoMemory) {
			memory = "" // it may be a folder
		} else if err != nil {
			return err
		}
	}
	if memory != "" {
		n, err = logOfMemory(ctx, p, s, memory, q)
	} else {
		n, err = logOfChanges(ctx, p, s, q)
	}
	if err != nil || n > 0 {
		return err
	}
	return emptyLogError(ctx, p, s, memory, q)
}

// emptyLogError returns an error if what was asked for is unknown: a path that never
// existed, or an actor or a session that changed nothing in the store. An empty result of
// other filters is not an error.
func emptyLogError(ctx context.Context, p *console, s *engine.Store, memory versions.MemoryID, q query) error {
	if memory == "" && !q.filter.In.IsRoot() {
		changes, err := vhistory.Changes(ctx, s, versions.Filter{In: q.filter.In}, 0, 1)
		if err == nil && len(changes) == 0 {
			err = fmt.Errorf("%w: %s", versions.ErrNoMemory, q.filter.In.Tool())
		}
		if err != nil {
			return err
		}
	}
	if id := q.filter.Session; id != "" {
		changes, err := vhistory.Changes(ctx, s, versions.Filter{Session: id}, 0, 1)
		if err == nil && len(changes) == 0 {
			if err = changedElsewhere(ctx, s, "log", id); err == nil {
				err = &hinted{changedNothing("log", id, s), "`memend sessions` lists the sessions"}
			}
		}
		if err != nil {
			return err
		}
	}
	if q.name != "" {
		changed, err := changedBy(ctx, s, q)
		if err == nil && !changed {
			err = &hinted{fmt.Errorf("log: %s changed nothing in store %s", q.actorText(), s.Info().Name), "an actor is a name, a kind (person, agent, api_key, outside), or both, as KIND:NAME"}
		}
		if err != nil {
			return err
		}
	}
	if q.hasFilters() {
		reportEmpty(p, s, "no matching changes")
	} else {
		reportEmpty(p, s, "no changes")
	}
	return nil
}

// changedBy reports whether the requested actor ever changed anything.
func changedBy(ctx context.Context, s *engine.Store, q query) (bool, error) {
	for c, err := range changesOf(ctx, s, versions.Filter{Actor: q.filter.Actor}) {
		if err != nil || q.matchesActor(c.Actor) {
			return err == nil, err
		}
	}
	return false, nil
}

// actorText returns the requested actor as it was written.
func (q query) actorText() string {
	if q.filter.Actor == "" {
		return q.name
	}
	return string(q.filter.Actor) + ":" + q.name
}

// matchesActor reports whether an actor has the requested name, as recorded or as displayed.
func (q query) matchesActor(a versions.Actor) bool { return actors.Named(a, q.name) }

// isFull reports whether n results are enough.
func (q query) isFull(n int) bool { return q.limit > 0 && n >= q.limit }

// hasFilters reports whether any filter but a path is set.
func (q query) hasFilters() bool {
	f := q.filter
	return q.name != "" || q.operation != "" || f.Actor != "" || f.Session != "" || !f.Since.IsZero() || !f.Until.IsZero()
}

func logOfMemory(ctx context.Context, p *console, s *engine.Store, memory versions.MemoryID, q query) (n int, err error) {
	above, other := q.filter.In.Tool(), "" // the other store that the version is of
	read := func(before int) ([]versions.Version, error) { return vhistory.Of(ctx, s, memory, before, page) }
	for read != nil { // a memory that was copied from another store goes on there
		history := paged(read, func(v versions.Version) int { return v.Number })
		read = nil
		for v, err := range history {
			if err != nil || q.isFull(n) {
				return n, err
			}
			if q.matches(v) {
				if err := printVersion(ctx, p, s, v, other, above, q.form); err != nil {
					return n, err
				}
				above = v.Path.Tool()
				n++
			}
			if v.Across != nil && v.Operation == versions.Created {
				from := *v.Across
				other, read = from.Name+":", func(before int) ([]versions.Version, error) { return vhistory.Before(ctx, s, from, before, page) }
			}
		}
	}
	return n, nil
}

func (q query) matches(v versions.Version) bool {
	f := q.filter
	return (q.operation == "" || q.did(v)) &&
		(f.Actor == "" || v.Actor.Kind == f.Actor) && (q.name == "" || q.matchesActor(v.Actor)) &&
		(f.Session == "" || v.Session == f.Session) &&
		(f.Since.IsZero() || !v.Time.Before(f.Since)) && (f.Until.IsZero() || !v.Time.After(f.Until))
}

// did reports whether a version is of the requested operation, as recorded or as displayed.
func (q query) did(v versions.Version) bool {
	return slices.Contains([]string{string(v.Operation), wording.Did(v), wording.Made(v)}, q.operation)
}

// printLogVersion prints a version after its change, STORE:N if that is of another store; above is the path of the previous line, which
// is not repeated on a terminal.
func printLogVersion(p *console, v versions.Version, other, above string) {
	if p.json {
		p.emit(versionOf(v))
		return
	}
	path := ""
	if v.Redacted.IsZero() {
		path = v.Path.Tool()
	}
	if p.terminal && path == above {
		path = ""
	}
	columns := fmt.Sprintf("%5s  %s  %-8s  %5s %5s  %s  %s", fmt.Sprint(p.safe(other), v.Change), when(v.Time), operationName(v),
		fmt.Sprintf("+%d", v.Added), fmt.Sprintf("-%d", v.Removed), actorColumn(p, maker(v.Actor, v.Inferred)), p.short(string(v.ID)))
	rest := fmt.Sprintf("  %s@%d", p.safe(path), v.Number) + across(p, v) + subjectText(p, v.Subject)
	p.printContinued(columns, rest)
}

// operationName describes in one word what a version did, or that it was redacted or lost.
func operationName(v versions.Version) string {
	switch {
	case v.Lost():
		return "lost"
	case !v.Redacted.IsZero():
		return "redacted"
	case v.Damaged:
		return "damaged"
	}
	return wording.Did(v)
}

func logOfChanges(ctx context.Context, p *console, s *engine.Store, q query) (n int, err error) {
	var acts bulkActs
	for cursor := int64(0); !q.isFull(n); {
		cs, err := vhistory.Changes(ctx, s, q.filter, cursor, page)
		if err == nil && q.joinsBulk() && !p.json {
			err = acts.find(ctx, s, cs)
		}
		if err != nil {
			return n, err
		}
		for _, c := range cs {
			cursor = c.Number
			act, part := acts[c.Number]
			if part && act.Last() != c.Number {
				continue // its newest change was printed for all of them
			}
			wanted, err := q.matchesChange(ctx, s, c)
			if err != nil {
				return n, err
			}
			if q.isFull(n) || !wanted {
				continue
			}
			if part {
				printLogBulk(p, c, act, q.form)
			} else if err := printChange(ctx, p, s, c, q.form); err != nil {
				return n, err
			}
			n++
		}
		if len(cs) < page {
			break
		}
	}
	return n, nil
}

// joinsBulk reports whether the changes of one bulk act are printed as one line.
func (q query) joinsBulk() bool {
	f := q.filter
	return !q.form.patch && !q.form.stat && q.operation == "" && f.In.IsRoot() && f.Since.IsZero() && f.Until.IsZero()
}

// bulkActs maps changes to the bulk acts of other programs that they belong to.
type bulkActs map[int64]versions.Bulk

// find adds the bulk acts that the changes, newest first, belong to.
func (a *bulkActs) find(ctx context.Context, s *engine.Store, cs []versions.Change) error {
	unknown := func(c versions.Change) bool { // only what was found in the folder is recorded in pieces
		_, known := (*a)[c.Number]
		return c.Kind == versions.KindAdopt && !known
	}
	if !slices.ContainsFunc(cs, unknown) {
		return nil
	}
	bulks, err := vhistory.Acts(ctx, s, cs[len(cs)-1], cs[0])
	for _, b := range bulks {
		if *a == nil {
			*a = bulkActs{}
		}
		for _, n := range b.Changes {
			(*a)[n] = b
		}
	}
	return err
}

// printLogBulk prints a bulk act of another program as one line; c is its newest change.
func printLogBulk(p *console, c versions.Change, b versions.Bulk, f logForm) {
	undo := fmt.Sprintf(": undo %d --bulk", b.Last())
	if b.UndoneBy != 0 {
		undo = fmt.Sprintf(", undone by %d", b.UndoneBy)
	}
	what := wording.Counts(b.Effect)
	of := fmt.Sprintf("  [%d changes%s]", len(b.Changes), undo)
	if f.oneline {
		p.println("%d %s%s", c.Number, what, of)
		return
	}
	p.printContinued(fmt.Sprintf("%5d  %s  %s  %s", c.Number, when(c.Time), actorColumn(p, maker(c.Actor, c.Inferred)), what), of)
}

// matchesChange checks the filters that the store does not: the actor's name, and the
// operation.
func (q query) matchesChange(ctx context.Context, s *engine.Store, c versions.Change) (bool, error) {
	if q.name != "" && !q.matchesActor(c.Actor) {
		return false, nil
	}
	if q.operation == "" {
		return true, nil
	}
	_, vs, err := vhistory.Change(ctx, s, c.Number)
	for _, v := range vs {
		if q.did(v) {
			return true, nil
		}
	}
	return false, err
}

func printLogChange(p *console, c versions.Change) {
	if p.json {
		p.emit(changeOf(c))
		return
	}
	undone := ""
	if c.UndoneBy > 0 {
		undone = fmt.Sprintf("  [undone by %d]", c.UndoneBy)
	}
	columns := fmt.Sprintf("%5d  %s  %s  ", c.Number, when(c.Time), actorColumn(p, maker(c.Actor, c.Inferred)))
	p.printFitted("%s%s%s%s", columns, describeChangeIn(p, c, p.width()-text.Width(columns)-text.Width(undone)), undone, subjectText(p, c.Subject))
}

// subjectText returns the subject of an imported commit, for the end of a line.
func subjectText(p *console, s string) string {
	if s == "" {
		return ""
	}
	return "  " + p.safe(s)
}
