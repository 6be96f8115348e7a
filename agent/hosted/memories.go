package hosted

import (
	"bytes"
	"context"
	"errors"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

func (u *Store) memories() *anthropic.BetaMemoryStoreMemoryService {
	return &u.s.sdk.Beta.MemoryStores.Memories
}

// Create creates a memory. If an attempt got no response and the next one finds the path taken, it
// checks whether the first attempt created the memory.
func (u *Store) Create(ctx context.Context, p memfs.Path, content []byte) (m versions.HostedMemory, err error) {
	params := anthropic.BetaMemoryStoreMemoryNewParams{Path: p.String(), Content: anthropic.String(string(content))}
	err = u.s.try(ctx, true, func(unsure bool) error {
		got, err := u.memories().New(ctx, u.id, params)
		if err == nil {
			m, err = memoryOf(got)
			return err
		}
		var clash *versions.HostedConflict
		if fail := u.s.failure(err); unsure && errors.As(fail, &clash) && clash.Path == p.String() && clash.Memory != "" {
			there, err := u.Memory(ctx, versions.MemoryID(clash.Memory))
			if err == nil && bytes.Equal(there.Content, content) {
				m = there
				return nil
			}
			return fail
		}
		return err
	})
	return m, as(err, versions.ErrNoStore)
}

// Update changes a memory. It is idempotent.
func (u *Store) Update(ctx context.Context, id versions.MemoryID, base versions.Hash, to memfs.Path, content []byte) (m versions.HostedMemory, err error) {
	params := anthropic.BetaMemoryStoreMemoryUpdateParams{MemoryStoreID: u.id,
		Precondition: anthropic.BetaManagedAgentsPreconditionParam{ContentSha256: anthropic.String(base.String())}}
	if !to.IsRoot() {
		params.Path = anthropic.String(to.String())
	}
	if content != nil {
		params.Content = anthropic.String(string(content))
	}
	err = u.s.try(ctx, true, func(bool) error {
		got, err := u.memories().Update(ctx, string(id), params)
		if err == nil {
			m, err = memoryOf(got)
		}
		return err
	})
	return m, as(err, versions.ErrNoMemory)
}

// Delete deletes a memory. If an attempt without a response deleted it, Delete succeeds.
func (u *Store) Delete(ctx context.Context, id versions.MemoryID, base versions.Hash) error {
	params := anthropic.BetaMemoryStoreMemoryDeleteParams{MemoryStoreID: u.id, ExpectedContentSha256: anthropic.String(base.String())}
	err := u.s.try(ctx, true, func(unsure bool) error {
		_, err := u.memories().Delete(ctx, string(id), params)
		if unsure && err != nil && errors.As(u.s.failure(err), new(*missing)) {
			return nil
		}
		return err
	})
	return as(err, versions.ErrNoMemory)
}

// Memory returns a memory with its content.
func (u *Store) Memory(ctx context.Context, id versions.MemoryID) (m versions.HostedMemory, err error) {
	params := anthropic.BetaMemoryStoreMemoryGetParams{MemoryStoreID: u.id, View: anthropic.BetaManagedAgentsMemoryViewFull}
	err = u.s.try(ctx, false, func(bool) error {
		got, err := u.memories().Get(ctx, string(id), params)
		if err == nil {
			m, err = memoryOf(got)
		}
		return err
	})
	return m, as(err, versions.ErrNoMemory)
}

// Memories lists the current memories.
func (u *Store) Memories(ctx context.Context, page string) (out versions.HostedMemories, err error) {
	params := anthropic.BetaMemoryStoreMemoryListParams{Limit: anthropic.Int(pageLimit), View: anthropic.BetaManagedAgentsMemoryViewBasic}
	if page != "" {
		params.Page = anthropic.String(page)
	}
	err = u.s.try(ctx, false, func(bool) error {
		got, err := u.memories().List(ctx, u.id, params)
		if err != nil {
			return err
		}
		out = versions.HostedMemories{Next: got.NextPage}
		for i := range got.Data {
			if got.Data[i].Type != "memory" {
				continue
			}
			m := got.Data[i].AsMemory()
			h, err := memoryOf(&m)
			if err != nil {
				return err
			}
			out.Memories = append(out.Memories, h)
		}
		return nil
	})
	return out, as(err, versions.ErrNoStore)
}

func memoryOf(m *anthropic.BetaManagedAgentsMemory) (versions.HostedMemory, error) {
	out := versions.HostedMemory{ID: m.ID, Version: m.MemoryVersionID, Path: m.Path, Size: m.ContentSizeBytes, Updated: m.UpdatedAt}
	if m.JSON.Content.Valid() {
		out.Content = []byte(m.Content)
	}
	var err error
	if out.SHA256, err = versions.ParseHash(m.ContentSha256); err != nil {
		err = invalidResponse(err)
	}
	return out, err
}

func invalidResponse(err error) error {
	return &versions.UpstreamError{Trouble: versions.InvalidResponse, Unsure: true, Err: cut(err)}
}
