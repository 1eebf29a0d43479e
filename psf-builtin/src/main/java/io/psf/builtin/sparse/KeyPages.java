package io.psf.builtin.sparse;

import io.psf.api.TensorId;
import io.psf.api.spi.Caller;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** The pages of {@link ListKeys}, one after the other: a call for each. For one thread. */
public final class KeyPages implements Iterator<long[]> {
    private final ListKeysPsf.Stub stub;
    private final TensorId tensor;
    private final int most;
    private int[] left = {};
    private boolean more = true;

    /**
     * The pages of a table.
     *
     * @param most the most keys of one slice on a page, at least 1
     */
    public KeyPages(Caller caller, TensorId tensor, int most) {
        this.stub = ListKeysPsf.stub(caller);
        this.tensor = tensor;
        this.most = most;
    }

    @Override
    public boolean hasNext() {
        return more;
    }

    /** The keys of the next page, in no order: none if the table is empty. Asks the servers, and waits. */
    @Override
    public long[] next() {
        if (!more) {
            throw new NoSuchElementException("pages of tensor " + tensor + ": all have been listed");
        }
        ListKeys.Response page = stub.call(tensor, most, left).await();
        left = new int[page.next().size()];
        more = false;
        for (ListKeys.Next next : page.next()) {
            left[next.slice()] = next.left();
            more |= next.left() > 0;
        }
        return page.keys().toArray();
    }
}
