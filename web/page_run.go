package web

func (s *site) runPages() []page     { return nil }
func (s *site) runActions() []action { return nil }
