package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

func sessionsCommand(p *program) *cobra.Command {
	var since, until string
	var limit int
	cmd := &cobra.Command{
		Use:         "sessions",
		Annotations: map[string]string{overview: "list runs", filters: "", pages: ""},
		Short:       "List the runs of agents and people",
		RunE: func(cmd *cobra.Command, args []string) error {
			q := query{limit: limit}
			if err := q.parse(p.now(), &p.invocation, since, until); err != nil {
				return &misuse{err, cmd.CommandPath()}
			}
			f := versions.SessionFilter{ID: q.filter.Session, Actor: q.filter.Actor, Since: q.filter.Since, Until: q.filter.Until}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error { return printSessions(cmd.Context(), &p.console, &p.invocation, t, f, q) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&since, "since", "", "only sessions that were active after this `TIME`")
	flags.StringVar(&until, "until", "", "only sessions that began before this `TIME`")
	limitFlag(cmd, &limit, "list at most `N`")
	return cmd
}

func printSessions(ctx context.Context, p *console, who *invocation, t *engine.Trail, f versions.SessionFilter, q query) error {
	if ref := who.requestedStore(); ref != "" {
		info, err := who.namedStore(ctx, t, ref)
		if err != nil {
			return err
		}
		f.Store = info.ID
	}
	var err error
	if f.ID, err = homeSession(ctx, t, f.ID); err != nil {
		return err
	}
	all, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	names := map[versions.StoreID]string{}
	for _, s := range all {
		names[s.ID] = s.Name
	}
	n, left := 0, 0
	people := f.ID != "" || f.Actor != "" || q.name != "" // else each command of theirs would be a row
	sessions := func(at versions.Cursor) ([]versions.Session, versions.Cursor, error) {
		return history.HomeSessions(ctx, t, f, at, page)
	}
	for s, err := range listed(sessions) {
		if err != nil {
			return err
		}
		if q.name != "" && !q.matchesActor(s.Actor) {
			continue
		}
		if s.Actor.Kind == versions.Person && !people {
			left++
			continue
		}
		printSession(p, s, names)
		if n++; n == q.limit {
			return nil
		}
	}
	switch {
	case !p.terminal || p.json:
	case left > 0:
		none := ""
		if n == 0 {
			none = "no agent's session; "
		}
		fmt.Fprintf(p.err, "memend: %s%s lists %d of people\n", none, p.hintText("`memend sessions --actor person`"), left)
	case n == 0:
		fmt.Fprintln(p.err, "memend: no matching sessions")
	}
	return nil
}

type sessionJSON struct {
	ID         string         `json:"id"`
	By         versions.Actor `json:"created_by"`
	CreatedAt  stamp          `json:"created_at"`
	LastSeenAt stamp          `json:"last_seen_at"`
	Changes    int            `json:"changes"`
	Versions   int            `json:"versions"`
	Undone     int            `json:"undone_changes"`
	Reads      int            `json:"reads"`
	Waiting    int            `json:"waiting_for_review,omitempty"`
	Stores     []string       `json:"memory_store_ids"`
}

func printSession(p *console, s versions.Session, names map[versions.StoreID]string) {
	if p.json {
		j := sessionJSON{string(s.ID), s.Actor, stamp(s.Started), stamp(s.Seen), s.Changes, s.Versions, s.Undone, s.Reads, s.Waiting, []string{}}
		for _, id := range s.Stores {
			j.Stores = append(j.Stores, string(id))
		}
		p.emit(j)
		return
	}
	var stores []string
	for _, id := range s.Stores {
		stores = append(stores, p.safe(names[id]))
	}
	state := ""
	switch {
	case s.Undone > 0 && s.Undone == s.Changes:
		state = "  [undone]"
	case s.Undone > 0:
		state = fmt.Sprintf("  [%d of %d undone]", s.Undone, s.Changes)
	}
	if s.Waiting > 0 {
		state += fmt.Sprintf("  [%d held]", s.Waiting)
	}
	if p.terminal {
		p.printFitted("%s  %s  %11s  %8s  %s  %s%s", when(s.Started), actorColumn(p, actors.Name(s.Actor)), plural(s.Changes, "change"), plural(s.Reads, "read"),
			p.short(string(s.ID)), strings.Join(stores, ", "), state)
		return
	}
	p.println("%s  %s  %s  %11s  %8s  %s  %s%s", when(s.Started), when(s.Seen), actorColumn(p, actors.Name(s.Actor)),
		plural(s.Changes, "change"), plural(s.Reads, "read"), p.safe(string(s.ID)), strings.Join(stores, ", "), state)
}
