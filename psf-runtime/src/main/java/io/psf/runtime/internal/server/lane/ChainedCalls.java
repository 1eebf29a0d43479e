package io.psf.runtime.internal.server.lane;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one chain, in the order sent. They run without another call in between, unless one of them answers
 * later.
 */
public final class ChainedCalls implements Turn {
    private final List<OrderedCall> inOrder;
    private final Lane lane;
    /** Null until a turn with a priority waits for the lane, whose thread finds them. */
    private @Nullable Set<CallOrder> orders;

    /**
     * Creates the turn of a chain.
     *
     * @param inOrder its calls, at least one
     * @param lane the lane of all of them
     */
    public ChainedCalls(List<? extends OrderedCall> inOrder, Lane lane) {
        this.inOrder = List.copyOf(inOrder);
        this.lane = lane;
    }

    @Override
    public void run() {
        ReadsOfChain reads = lane.reads();
        if (inOrder.size() > 1) {
            reads.open();
        }
        try {
            inOrder.forEach(Runnable::run);
        } finally {
            reads.close();
            lane.handled();
        }
    }

    @Override
    public OrderedCall first() {
        return inOrder.get(0);
    }

    @Override
    public Set<CallOrder> orders() {
        Set<CallOrder> known = orders;
        if (known == null) {
            known = inOrder.stream()
                    .map(OrderedCall::order)
                    .filter(Objects::nonNull)
                    .collect(Collectors.toUnmodifiableSet());
            orders = known;
        }
        return known;
    }
}
