package versions

import "context"

// Open opens the trail of a home folder. It creates both if they don't exist.
func Open(ctx context.Context, home string, o Options) (*Trail, error) {
	return OpenWith(ctx, home, o, Parts{Replica: newReplica, FinishErasing: finishErasing, ResumeErasing: resumeErasing})
}
