package redact

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// HasUpstream is an SQL condition: a redaction lists versions for its service.
const HasUpstream = tables.CountUpstream + `>0`

// waitsUpstream describes the redactions that services have not finished, of one store or of
// all.
func waitsUpstream(ctx context.Context, t *core.Trail, store versions.StoreID, all bool) (out []string, err error) {
	waiting, err := Entries(ctx, t, `r.pending<>0 AND `+HasUpstream)
	for _, e := range waiting {
		if all || e.Store == store {
			out = append(out, fmt.Sprintf("the service of store %s has not erased %s of redaction %d yet", e.Name, countVersions(len(e.Upstream)), e.ID))
		}
	}
	return out, err
}

func countVersions(n int) string {
	if n == 1 {
		return "1 version"
	}
	return fmt.Sprintf("%d versions", n)
}

// GraceTime is how long a canceled caller still waits for an answer, so that the outcome of a
// request that was already sent is known.
const GraceTime = 3 * time.Second

// Outlasting returns a context that ends some time after ctx does.
func Outlasting(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		late := time.NewTimer(d)
		defer late.Stop()
		select {
		case <-late.C:
			end()
		case <-longer.Done():
		}
	})
	return longer, func() { forget(); end() }
}

// HostedFolder is the folder in the home that holds the locks of hosted stores.
const HostedFolder = "hosted"

// forgetAllSending removes the files of all stores.
func forgetAllSending(t *core.Trail) error {
	all, err := os.ReadDir(filepath.Join(t.Folder, HostedFolder))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range all {
		if filepath.Ext(e.Name()) == ".sending" {
			err = errors.Join(err, disk.Erase(filepath.Join(t.Folder, HostedFolder, e.Name())))
		}
	}
	return disk.Bare(err)
}
