package io.psf.builtin.sparse;

import io.psf.api.Caller;
import io.psf.api.TensorId;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** Iterates over the pages of {@link ListKeys}, with one call per page. Not thread-safe. */
public final class KeyPages implements Iterator<long[]> {
    private final ListKeysPsf.Stub stub;
    private final TensorId tensor;
    private final int most;
    private int[] left = {};
    private boolean more = true;

    /**
     * Creates an iterator over the pages of a table. Sends nothing.
     *
     * @param most the largest number of keys of one slice on a page, at least 1
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

    /**
     * Returns the keys of the next page, in no particular order; an empty array if the table is empty. Calls the
     * servers and blocks until they have answered.
     */
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
