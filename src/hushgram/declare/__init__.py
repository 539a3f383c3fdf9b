"""What is declared and public: axes, domains, units, budgets, conditions, text formats."""
