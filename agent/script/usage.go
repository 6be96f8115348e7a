package script

import (
	"encoding/json"
	"hash/fnv"
	"sync"

	"github.com/memend/memend/agent"
)

func (s *Server) tokens(bytes int) int64 { return int64(float64(bytes) * s.o.TokensPerByte) }

func (s *Server) tokensOf(blocks []agent.Block) int64 {
	n := 0
	for _, b := range blocks {
		n += len(b.Raw())
	}
	return max(1, s.tokens(n))
}

// charge sets the cost of a reply: the prompt as the model saw it, split into tokens read from the cache, written to it, and
// neither. The cost of a compaction is only in the iterations.
func (s *Server) charge(out *reply, r agent.Request, seen agent.Cleared) {
	u := &out.usage
	if len(u.Iterations) > 0 && out.stop == agent.StopCompaction {
		return
	}
	u.Output = s.tokensOf(out.blocks)
	u.Input = seen.Tokens
	if r.Cache {
		read, kept := s.cache.read(s, r, seen)
		u.CacheRead, u.CacheCreation, u.Input = read, kept, seen.Tokens-read-kept
	}
	if len(u.Iterations) > 0 {
		u.Iterations = append(u.Iterations, agent.Iteration{Type: "message", Input: u.Input, CacheCreation: u.CacheCreation, CacheRead: u.CacheRead, Output: u.Output})
	}
}

const (
	minCached = 1024 // tokens; a shorter prompt is not cached
	uncached  = 3    // tokens at the end of a prompt that are never cached
	maxKept   = 4096 // number of cached prompts
)

// cache simulates the prompt cache by the prompts' beginnings.
type cache struct {
	mu   sync.Mutex
	kept map[uint64]bool
	old  []uint64
}

// read returns how many tokens of a prompt are read from the cache, and how many are written to it. A cleared result changes
// the messages from there on, and so the cached beginning.
func (c *cache) read(s *Server, r agent.Request, seen agent.Cleared) (read, kept int64) {
	if seen.Tokens < minCached {
		return 0, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h := fnv.New64a()
	h.Write([]byte(r.Model + "\x00" + r.System))
	n := len(r.System)
	for _, m := range seen.Messages {
		raw, err := json.Marshal(m)
		if err != nil {
			break
		}
		h.Write(raw)
		n += len(raw)
		if c.kept[h.Sum64()] {
			read = s.tokens(n)
		}
	}
	c.keep(h.Sum64())
	read = min(read, seen.Tokens-uncached)
	return read, seen.Tokens - read - uncached
}

func (c *cache) keep(sum uint64) {
	if c.kept == nil {
		c.kept = map[uint64]bool{}
	}
	if c.kept[sum] {
		return
	}
	c.kept[sum] = true
	c.old = append(c.old, sum)
	if len(c.old) > maxKept {
		delete(c.kept, c.old[0])
		c.old = c.old[1:]
	}
}
