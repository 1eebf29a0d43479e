package io.psf.runtime.internal.server.lane;

import java.util.List;

/**
 * The calls of one chain, in the order sent. They run without another call in between, unless one of them answers later.
 *
 * @param lane the lane of all of them
 */
public record ChainedCalls(List<? extends OrderedCall> inOrder, Lane lane) implements Turn {
    public ChainedCalls {
        inOrder = List.copyOf(inOrder);
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
    public int calls() {
        return inOrder.size();
    }

    @Override
    public OrderedCall call(int i) {
        return inOrder.get(i);
    }
}
