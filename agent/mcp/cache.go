package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

// storeCache holds the stores to serve and opens them when needed.
type storeCache struct {
	trail  *engine.Trail
	as     []versions.Attachment
	mounts []versions.Mount

	turn   chan struct{} // serialises opening; unlike a mutex, waiting for it can be cancelled
	places []place
	closed bool
}

// place is an open store and where clients find it.
type place struct {
	store *engine.Store
	mount memfs.Path
}

// newStoreCache looks up the stores without opening any.
func newStoreCache(ctx context.Context, t *engine.Trail, as []versions.Attachment) (*storeCache, error) {
	var infos []versions.StoreInfo
	for _, at := range as {
		info, err := t.FindStore(ctx, string(at.Store))
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return &storeCache{trail: t, as: as, mounts: stores.MountsOf(infos, as), turn: make(chan struct{}, 1)}, nil
}

// open returns all stores. It opens those that are not open: at first, and after a folder was
// missing or the trail locked.
func (h *storeCache) open(ctx context.Context) ([]place, error) {
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.turn }()
	if h.closed {
		return nil, context.Canceled
	}
	for _, at := range h.places { // the folder of a deleted store is left, or fails with a misleading error
		if _, err := history.Store(ctx, h.trail, at.store.Info().ID); err != nil {
			return nil, err
		}
	}
	for i := len(h.places); i < len(h.as); i++ {
		store, err := h.trail.OpenStore(ctx, h.as[i].Store)
		if err != nil {
			return nil, err
		}
		mount, err := memfs.ParseToolPath(h.mounts[i].Path)
		if err != nil {
			return nil, errors.Join(err, store.Close())
		}
		h.places = append(h.places, place{store, mount})
	}
	return slices.Clip(h.places), nil
}

func (h *storeCache) close() error {
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	h.closed = true
	var errs []error
	for _, p := range h.places {
		errs = append(errs, p.store.Close())
	}
	return errors.Join(errs...)
}

// find returns the store that contains a path, and the path within it.
func find(places []place, p memfs.Path) (place, memfs.Path, error) {
	for _, at := range places {
		if p.In(at.mount) {
			return at, p.Move(at.mount, memfs.Root), nil
		}
	}
	return place{}, memfs.Path{}, &refusal{p.Tool(), errors.New("/memories holds the attached memory stores and nothing else; they are " + names(places))}
}

func names(places []place) string {
	var all []string
	for _, at := range places {
		all = append(all, at.mount.Tool())
	}
	return strings.Join(all, ", ")
}

// outside returns a path of the store as clients see it.
func (at place) outside(p memfs.Path) memfs.Path { return p.Move(memfs.Root, at.mount) }

// instructions returns the description of the server for the model.
func (s *Server) instructions() string {
	var b strings.Builder
	b.WriteString(protocol)
	if s.o.Tools != MemoryTool {
		b.WriteString(sixProtocol)
	}
	if s.o.Attach {
		b.WriteString("\n" + stores.PromptOf(s.cache.mounts))
	} else if about := s.cache.mounts[0].Description; about != "" {
		fmt.Fprintf(&b, "\nWhat this memory is for: %s\n", about)
	}
	return b.String()
}

// protocol is the text that the Messages API adds by itself for the memory tool.
const protocol = `IMPORTANT: always look at your memory directory before you do anything else.
1. View /memories to see what earlier sessions left there, and read what concerns your task.
2. While you work, write down what you learn, what you decide and what you have done.
3. Your context may be cut off at any moment: what is not in /memories may be lost.
Keep the directory in order: correct outdated text instead of adding new text beside it, and name files after their content. Every version is kept, so a correction loses nothing.
`

const sixProtocol = `The tools memory_list, memory_search, memory_read, memory_write, memory_edit and memory_delete work on /memories. Others may write there too: pass the content_sha256 that you read as a precondition, and read the memory again if the write is refused.
`
