package engine_test

import (
	"context"
	"regexp"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// alien is a service whose ids are not such as ours: those of the hosted API are
// letters of both cases and digits.
type alien struct{ *service }

var ownID = regexp.MustCompile(`\b(mem|memver)_[a-z2-7]{24}\b`)

// abroad is a text with the ids that the service gives out for its own.
func abroad(s string) string {
	return ownID.ReplaceAllStringFunc(s, func(id string) string {
		kind, rest, _ := strings.Cut(id, "_")
		return kind + "_" + strings.ToUpper(rest)
	})
}

// atHome is an id as the service itself has it.
func atHome[T ~string](id T) T { return T(strings.ToLower(string(id))) }

func (a alien) memory(m versions.HostedMemory, err error) (versions.HostedMemory, error) {
	m.ID, m.Version = abroad(m.ID), abroad(m.Version)
	return m, err
}

func (a alien) version(v versions.HostedVersion, err error) (versions.HostedVersion, error) {
	v.ID, v.Memory = abroad(v.ID), abroad(v.Memory)
	return v, err
}

func (a alien) Create(ctx context.Context, p memfs.Path, content []byte) (versions.HostedMemory, error) {
	return a.memory(a.service.Create(ctx, p, content))
}

func (a alien) Update(ctx context.Context, id versions.MemoryID, base versions.Hash, to memfs.Path, content []byte) (versions.HostedMemory, error) {
	return a.memory(a.service.Update(ctx, atHome(id), base, to, content))
}

func (a alien) Delete(ctx context.Context, id versions.MemoryID, base versions.Hash) error {
	return a.service.Delete(ctx, atHome(id), base)
}

func (a alien) Redact(ctx context.Context, id versions.VersionID) (versions.HostedVersion, error) {
	return a.version(a.service.Redact(ctx, atHome(id)))
}

func (a alien) Memory(ctx context.Context, id versions.MemoryID) (versions.HostedMemory, error) {
	return a.memory(a.service.Memory(ctx, atHome(id)))
}

func (a alien) Version(ctx context.Context, id versions.VersionID) (versions.HostedVersion, error) {
	return a.version(a.service.Version(ctx, atHome(id)))
}

func (a alien) Memories(ctx context.Context, page string) (versions.HostedMemories, error) {
	out, err := a.service.Memories(ctx, page)
	for i, m := range out.Memories {
		out.Memories[i], _ = a.memory(m, nil)
	}
	return out, err
}

func (a alien) Versions(ctx context.Context, q versions.HostedQuery, page string) (versions.HostedVersions, error) {
	q.Memory = atHome(q.Memory)
	out, err := a.service.Versions(ctx, q, page)
	for i, v := range out.Versions {
		out.Versions[i], _ = a.version(v, nil)
	}
	return out, err
}
