package io.psf.processor.model;

import io.psf.api.layout.Reduction;

/** How a component of a tuple lies over the slices. */
public sealed interface Layout {
    /** The layout in the schema's text, with a space before it; empty for none. */
    String schema();

    /** The whole of it on every slice, or in the one answer. */
    record Whole() implements Layout {
        @Override
        public String schema() {
            return "";
        }
    }

    /** The tensor that the request runs on; it stands in the frame's head. */
    record Target() implements Layout {
        @Override
        public String schema() {
            return "";
        }
    }

    /**
     * Row-aligned with the tensor.
     *
     * @param width elements in a row; 0 for the tensor's width
     */
    record Ranged(int width) implements Layout {
        @Override
        public String schema() {
            return " by range" + (width == 0 ? "" : " x " + width);
        }
    }

    /**
     * Global keys.
     *
     * @param set the number of the key set in the request
     * @param combine how duplicates are folded
     * @param everySlice whether slices without keys are sent a part
     */
    record Keyed(int set, Reduction combine, boolean everySlice) implements Layout {
        @Override
        public String schema() {
            return " by key" + (combine == Reduction.NONE ? "" : " " + Component.lower(combine))
                    + (everySlice ? " every slice" : "");
        }
    }

    /** The key whose owner among the servers answers alone. */
    record Owner() implements Layout {
        @Override
        public String schema() {
            return " by key";
        }
    }

    /** Keys that the servers produce, concatenated in the order of the slices. */
    record Produced() implements Layout {
        @Override
        public String schema() {
            return " by key";
        }
    }

    /**
     * Rows of keys that the servers produce, concatenated as the keys are.
     *
     * @param keys the component of the response that holds the keys
     * @param width elements in a row; 0 for the tensor's width
     */
    record Appended(String keys, int width) implements Layout {
        @Override
        public String schema() {
            return " along " + keys + (width == 0 ? "" : " x " + width);
        }
    }

    /**
     * Rows that go where keys go.
     *
     * @param keys the component that holds the keys
     * @param set the number of its key set
     * @param width elements in a row; 0 for the tensor's width
     */
    record Beside(String keys, int set, int width) implements Layout {
        @Override
        public String schema() {
            return " along " + keys + (width == 0 ? "" : " x " + width);
        }
    }

    /**
     * Rows of different lengths.
     *
     * @param counts the component of the same tuple with the rows' lengths
     * @param index the number of that component
     * @param set the number of the key set that it goes along; -1 for keys that the servers produce
     */
    record Uneven(String counts, int index, int set) implements Layout {
        @Override
        public String schema() {
            return " ragged " + counts;
        }
    }

    /**
     * Folded over the slices.
     *
     * @param reduction the fold
     */
    record Folded(Reduction reduction) implements Layout {
        @Override
        public String schema() {
            return " " + Component.lower(reduction);
        }
    }

    /** Whether an array is cut at slices and put together again, so that its length is known before. */
    default boolean isLaidOut() {
        return this instanceof Ranged || this instanceof Beside;
    }
}
