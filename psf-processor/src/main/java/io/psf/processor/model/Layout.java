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
     * @param of the component with the tensor whose keys they are; empty for the tensor that the request runs on
     * @param combine how duplicates are folded
     * @param everySlice whether slices without keys are sent a part
     */
    record Keyed(int set, String of, Reduction combine, boolean everySlice) implements Layout {
        @Override
        public String schema() {
            return " by key" + (combine == Reduction.NONE ? "" : " " + Component.lower(combine))
                    + (of.isEmpty() ? "" : " of " + of) + (everySlice ? " every slice" : "");
        }
    }

    /**
     * A list whose elements have a global key each.
     *
     * @param set the number of the key set in the request
     * @param key the component of the elements that is the key
     * @param of the component with the tensor whose keys they are; empty for the tensor that the request runs on
     * @param everySlice whether slices without keys are sent a part
     */
    record Elements(int set, String key, String of, boolean everySlice) implements Layout {
        @Override
        public String schema() {
            return " by key " + key + (of.isEmpty() ? "" : " of " + of) + (everySlice ? " every slice" : "");
        }
    }

    /**
     * A list of which element i comes back to key i.
     *
     * @param keys the component of the request that holds the keys
     * @param set the number of its key set
     */
    record Listed(String keys, int set) implements Layout {
        @Override
        public String schema() {
            return " along " + keys;
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

    /** The number of the key set in the request; -1 if the component holds no keys of one. */
    default int keySet() {
        return this instanceof Keyed keyed ? keyed.set() : this instanceof Elements elements ? elements.set() : -1;
    }

    /** The component with the tensor whose keys these are; empty for none, and for the tensor that the request runs on. */
    default String of() {
        return this instanceof Keyed keyed ? keyed.of() : this instanceof Elements elements ? elements.of() : "";
    }

    /** Whether slices without keys of the set are sent a part. */
    default boolean everySlice() {
        return this instanceof Keyed keyed && keyed.everySlice()
                || this instanceof Elements elements && elements.everySlice();
    }

    /** Whether an array is cut at slices and put together again, so that its length is known before. */
    default boolean isLaidOut() {
        return this instanceof Ranged || this instanceof Beside;
    }
}
