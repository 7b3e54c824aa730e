"""What every agent tool shares: the contract, the registry, the dispatcher, the doors, tokens and toolsets."""
