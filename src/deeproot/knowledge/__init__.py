"""What a project keeps for all its researchers."""
