package io.psf.builtin.internal.checkpoint;

import java.util.ArrayList;
import java.util.List;

/**
 * The images that together have the rows of one shard: one with all rows, and the increments that follow it, each with
 * the changes since the previous image.
 *
 * @param images the images, oldest first, at least one, all of the same range
 */
record SavedChain(List<SavedImage> images) {
    SavedChain {
        images = List.copyOf(images);
        for (int i = 0; i < images.size(); i++) {
            SavedImage each = images.get(i);
            if (each.bases() != i
                    || each.begin() != images.get(0).begin()
                    || each.end() != last(images).end()) {
                throw new IllegalArgumentException("image " + i + " of rows " + each.rows() + ": " + each.bases()
                        + " bases (expected: an image with all rows of "
                        + last(images).rows() + ", then its increments)");
            }
        }
    }

    /**
     * Returns the chain of an image.
     *
     * @param bases the images that it builds on, oldest first
     */
    static SavedChain of(List<SavedImage> bases, SavedImage last) {
        List<SavedImage> all = new ArrayList<>(bases);
        all.add(last);
        return new SavedChain(all);
    }

    /** Returns the newest image. */
    SavedImage last() {
        return last(images);
    }

    private static SavedImage last(List<SavedImage> images) {
        return images.get(images.size() - 1);
    }

    long begin() {
        return last().begin();
    }

    long end() {
        return last().end();
    }
}
