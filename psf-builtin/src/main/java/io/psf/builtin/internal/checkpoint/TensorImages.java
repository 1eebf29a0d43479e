package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorInfo;
import java.util.List;
import java.util.Optional;

/**
 * The images of a tensor in a checkpoint.
 *
 * @param tensor the saved tensor
 * @param save the unique number of the save
 * @param chains the images of each range of rows, in the order of the rows
 */
record TensorImages(TensorInfo tensor, long save, List<SavedChain> chains) {
    TensorImages {
        chains = List.copyOf(chains);
    }

    List<SavedImage> images() {
        return chains.stream().flatMap(chain -> chain.images().stream()).toList();
    }

    /** Returns the images of a range; empty if the save had other slices. */
    Optional<SavedChain> chain(Range range) {
        return chains.stream()
                .filter(each -> each.begin() == range.begin() && each.end() == range.end())
                .findFirst();
    }

    /**
     * Checks that the images cover all rows, without gap or overlap.
     *
     * @param where the step, for the message
     */
    void requireWhole(String where) {
        long end = 0;
        for (SavedChain chain : chains) {
            if (chain.begin() != end || chain.end() <= chain.begin()) {
                throw hole(where, end, chain.begin());
            }
            end = chain.end();
        }
        if (end != tensor.rows()) {
            throw hole(where, end, tensor.rows());
        }
    }

    private PsException hole(String where, long end, long begin) {
        return new PsException(
                PsException.Code.STORAGE,
                where + ", tensor \"" + tensor.id() + "\": a gap or an overlap at rows [" + Math.min(begin, end) + ", "
                        + Math.max(begin, end) + ") (expected: each row in one file, of [0, " + tensor.rows() + "))");
    }
}
