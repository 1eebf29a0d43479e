package io.psf.runtime.internal.server.lane;

import java.util.List;

/**
 * The calls of one chain, in the order sent. They run without another call in between, unless one of them answers later.
 */
public record ChainedCalls(List<? extends OrderedCall> inOrder) implements Turn {
    public ChainedCalls {
        inOrder = List.copyOf(inOrder);
    }

    @Override
    public void run() {
        inOrder.forEach(Runnable::run);
    }

    @Override
    public int calls() {
        return inOrder.size();
    }

    @Override
    public OrderedCall call(int i) {
        return inOrder.get(i);
    }
}
