package agent

import "context"

// Preview compares the next request under the current settings and under others.
type Preview struct {
	Now, Then Forecast
	Estimated bool // the token counts are estimates, because the API could not count them
}

// Forecast is a request that was not sent, with the simulated effect of its context edits.
type Forecast struct {
	Tokens   int64
	Original int64 // before the context edits
	Cleared  Cleared
}

// Preview returns what the next request would be with other settings. It changes nothing.
func (s *Session) Preview(ctx context.Context, set Settings) (Preview, error) {
	if err := set.CheckFor(s.manager.model(set.Model)); err != nil {
		return Preview{}, err
	}
	s.mu.Lock()
	rate := s.rate
	s.mu.Unlock()
	now, then := asSendable(s.request(s.settings())), asSendable(s.request(set))
	p := Preview{Now: forecast(now, rate), Then: forecast(then, rate), Estimated: true}
	if len(now.Messages) == 0 {
		return p, nil
	}
	a, err := s.manager.o.API.Count(ctx, now)
	if err != nil {
		return p, context.Cause(ctx) // the estimate is still useful
	}
	b, err := s.manager.o.API.Count(ctx, then)
	if err != nil {
		return p, context.Cause(ctx)
	}
	p.Estimated = false
	p.Now.Tokens, p.Now.Original = a.Tokens, a.Original
	p.Then.Tokens, p.Then.Original = b.Tokens, b.Original
	return p, nil
}

// asSendable returns a request that can be sent: if the last message is an answer, it appends an
// empty prompt, which begins a turn.
func asSendable(r Request) Request {
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == "assistant" {
		r.Messages = append(r.Messages, UserText("?"))
	}
	return r
}

func forecast(r Request, rate float64) Forecast {
	c := Clear(r, rate)
	return Forecast{c.Tokens, c.Original, c}
}
