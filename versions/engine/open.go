package engine

import (
	"context"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
)

// Trail is the journal of a home.
type Trail = core.Trail

// Store is one folder of memories with its part of the trail.
type Store = core.Store

// Open opens the trail of a home folder. It creates both if they don't exist.
func Open(ctx context.Context, home string, o versions.Options) (*Trail, error) {
	return core.OpenWith(ctx, home, o, core.Parts{Replica: replica.NewReplica, FinishErasing: redact.FinishErasing, ResumeErasing: redact.ResumeErasing})
}
