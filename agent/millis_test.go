package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestDurationsInJSONAreMilliseconds(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{Event{Wait: Millis(1500 * time.Millisecond)}, `"wait_ms":1500`},
		{Settings{Idle: Millis(2 * time.Minute)}, `"idle_ms":120000`},
	} {
		b, err := json.Marshal(c.value)
		if err != nil || !strings.Contains(string(b), c.want) {
			t.Errorf("%s, %v: it lacks %s", b, err, c.want)
		}
	}
	var e Event
	if err := json.Unmarshal([]byte(`{"type":"retry","wait_ms":1500}`), &e); err != nil || e.Wait != Millis(1500*time.Millisecond) {
		t.Errorf("%v, %v", time.Duration(e.Wait), err)
	}
	if err := json.Unmarshal([]byte(`{"wait_ms":"soon"}`), &e); err == nil {
		t.Error("a text was taken for a duration")
	}
}
