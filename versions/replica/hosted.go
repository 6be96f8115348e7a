package replica

import (
	"errors"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

// UpstreamState returns the current state of the connection.
func UpstreamState(s *core.Store) versions.UpstreamState {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return ReplicaOf(s).state
}

// noteAnswer records the result of a request.
func (s *replica) noteAnswer(err error) {
	now := versions.UpstreamState{Asked: true, Since: s.Trail.Now()}
	var trouble *versions.UpstreamError
	if errors.As(err, &trouble) {
		now.Trouble, now.Until, now.Err = trouble.Trouble, trouble.Until, trouble
	} else if errors.Is(err, versions.ErrNoStore) {
		now.Trouble, now.Err = versions.Gone, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	was := s.state
	if was.Asked && was.Trouble == now.Trouble {
		now.Since = was.Since
	}
	s.state = now
}
