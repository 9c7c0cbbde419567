"""The player: any picture that plays, on a page or in a notebook."""
