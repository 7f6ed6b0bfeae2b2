package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;

/**
 * Budgets that all loops of a node share.
 *
 * @param solicitation bytes that were asked for and not yet taken
 * @param credit unsolicited bytes that are allowed beyond each connection's initial credit
 */
public record NodeBudgets(NodeBudget solicitation, CreditPool credit) {
  /** Returns the defaults: 64 MiB each. */
  public static NodeBudgets defaults() {
    return of(Limits.SOLICITATION_BUDGET_BYTES, Limits.CREDIT_POOL_BYTES);
  }

  public static NodeBudgets of(long solicitationBytes, long creditPoolBytes) {
    return new NodeBudgets(new NodeBudget(solicitationBytes), new CreditPool(creditPoolBytes));
  }
}
