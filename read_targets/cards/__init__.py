"""What a person may click: cards, the workspaces behind them, and the desk they arrive on."""
