package io.psf.processor.model;

import io.psf.api.layout.Reduction;

/** The layout of a component of a tuple over the slices. */
public sealed interface Layout {
    /** Returns the layout in the schema's text, with a leading space; empty if there is none. */
    String schema();

    /** The whole component is sent to every slice, or is in the only answer. */
    record Whole() implements Layout {
        @Override
        public String schema() {
            return "";
        }
    }

    /** The tensor that the request runs on, which is written in the frame's head. */
    record Target() implements Layout {
        @Override
        public String schema() {
            return "";
        }
    }

    /**
     * An array that is row-aligned with the tensor.
     *
     * @param width elements in a row; 0 for the tensor's width
     */
    record ByRange(int width) implements Layout {
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
     * @param everySlice true if slices without keys also get a part
     */
    record ByKey(int set, String of, Reduction combine, boolean everySlice) implements Layout {
        @Override
        public String schema() {
            return " by key" + (combine == Reduction.NONE ? "" : " " + Component.lower(combine))
                    + (of.isEmpty() ? "" : " of " + of) + (everySlice ? " every slice" : "");
        }
    }

    /**
     * A list whose elements each have a global key.
     *
     * @param set the number of the key set in the request
     * @param key the component of the elements that is the key
     * @param of the component with the tensor whose keys they are; empty for the tensor that the request runs on
     * @param everySlice true if slices without keys also get a part
     */
    record ElementsByKey(int set, String key, String of, boolean everySlice) implements Layout {
        @Override
        public String schema() {
            return " by key " + key + (of.isEmpty() ? "" : " of " + of) + (everySlice ? " every slice" : "");
        }
    }

    /**
     * A list of a response whose element i belongs to key i of the request.
     *
     * @param keys the component of the request that has the keys
     * @param set the number of the keys' key set
     */
    record ElementsAlongKeys(String keys, int set) implements Layout {
        @Override
        public String schema() {
            return " along " + keys;
        }
    }

    /** The key whose owner among the servers is the only server that answers. */
    record Owner() implements Layout {
        @Override
        public String schema() {
            return " by key";
        }
    }

    /** Keys that the servers produce, concatenated in slice order. */
    record ProducedKeys() implements Layout {
        @Override
        public String schema() {
            return " by key";
        }
    }

    /**
     * Rows along keys that the servers produce, concatenated in the order of the keys.
     *
     * @param keys the component of the response that has the keys
     * @param width elements in a row; 0 for the tensor's width
     */
    record AlongProducedKeys(String keys, int width) implements Layout {
        @Override
        public String schema() {
            return " along " + keys + (width == 0 ? "" : " x " + width);
        }
    }

    /**
     * Rows that are sent and returned along keys.
     *
     * @param keys the component that has the keys
     * @param set the number of the keys' key set
     * @param width elements in a row; 0 for the tensor's width
     */
    record AlongKeys(String keys, int set, int width) implements Layout {
        @Override
        public String schema() {
            return " along " + keys + (width == 0 ? "" : " x " + width);
        }
    }

    /**
     * Rows of different lengths.
     *
     * @param counts the component of the same tuple that has the rows' lengths
     * @param index the number of that component
     * @param set the number of the key set along which the counts go; -1 for keys that the servers produce
     */
    record Ragged(String counts, int index, int set) implements Layout {
        @Override
        public String schema() {
            return " ragged " + counts;
        }
    }

    /**
     * A value that is folded over the slices.
     *
     * @param reduction the fold
     */
    record Reduced(Reduction reduction) implements Layout {
        @Override
        public String schema() {
            return " " + Component.lower(reduction);
        }
    }

    /** Returns the number of the key set in the request; -1 if the component is not a key set. */
    default int keySet() {
        return this instanceof ByKey byKey ? byKey.set() : this instanceof ElementsByKey elements ? elements.set() : -1;
    }

    /**
     * Returns the component with the tensor whose keys these are; empty if they are no keys, and for the tensor that
     * the request runs on.
     */
    default String of() {
        return this instanceof ByKey byKey ? byKey.of() : this instanceof ElementsByKey elements ? elements.of() : "";
    }

    /** True if slices without keys of the set also get a part. */
    default boolean everySlice() {
        return this instanceof ByKey byKey && byKey.everySlice()
                || this instanceof ElementsByKey elements && elements.everySlice();
    }

    /** True if an array is split over the slices and merged again, so that its length is known in advance. */
    default boolean isLaidOut() {
        return this instanceof ByRange || this instanceof AlongKeys;
    }
}
