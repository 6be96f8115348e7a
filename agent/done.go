package agent

import (
	"context"
	"slices"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
)

// Done lists the changes and reads of a session in a store, oldest first.
func Done(ctx context.Context, s *engine.Store, id versions.SessionID) (out []Event, err error) {
	store := s.Info().ID
	for at := versions.Cursor(""); ; {
		page, next, err := vhistory.Activity(ctx, s, versions.ActivityFilter{Session: id}, at, 500)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			if a.Read {
				out = append(out, readEvent(store, a))
				continue
			}
			c, made, err := vhistory.Change(ctx, s, a.Change.Number)
			if err != nil {
				return nil, err
			}
			events := changeEvents(store, c, made)
			slices.Reverse(events)
			out = append(out, events...)
		}
		if at = next; at == "" {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}
