package guard

func hidden(text []byte) []Finding { return nil }
