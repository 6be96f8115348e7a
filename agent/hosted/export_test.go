package hosted

import "time"

func init() { firstWait = 2 * time.Millisecond }
