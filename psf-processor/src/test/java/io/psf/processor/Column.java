package io.psf.processor;

import io.psf.api.layout.Reduction;

/**
 * A component of a function that was drawn.
 *
 * @param name its name
 * @param type its type as the source writes it, without annotations
 * @param lay how it lies over the slices
 * @param leader the component whose rows it has; empty if there is none
 * @param width elements in a row as they are written; 0 for the tensor's width
 * @param fold how it, or the duplicates of its keys, are folded
 * @param everySlice whether its keys touch every slice
 * @param nullable whether it may be null
 * @param echo the component of the request that a handler answers with; empty if there is none
 * @param since the version that brought it
 * @param of the component with the tensor whose keys it holds; empty if it does not say
 */
record Column(
        String name,
        String type,
        Lay lay,
        String leader,
        int width,
        Reduction fold,
        boolean everySlice,
        boolean nullable,
        String echo,
        int since,
        String of) {
    private static final String NULLABLE = "@org.jspecify.annotations.Nullable ";

    /** How a component lies over the slices. */
    enum Lay {
        TARGET,
        WHOLE,
        LIST,
        /** A map whose keys differ from those of the other slices. */
        UNION,
        /** A map whose values are folded key by key. */
        REDUCED_MAP,
        OWNER,
        RANGE,
        KEYS,
        ALONG,
        COUNTS,
        RAGGED,
        REDUCE,
        PRODUCED,
        /** Along keys that the servers produced. */
        APPENDED,
        APPENDED_COUNTS,
        APPENDED_RAGGED
    }

    static Column whole(String name, String type, boolean nullable, int since) {
        return new Column(name, type, Lay.WHOLE, "", 0, Reduction.NONE, false, nullable, "", since, "");
    }

    static Column of(String name, String type, Lay lay, String leader, int width, int since) {
        return new Column(name, type, lay, leader, width, Reduction.NONE, false, false, "", since, "");
    }

    Column folded(Reduction reduction) {
        return new Column(name, type, lay, leader, width, reduction, everySlice, nullable, echo, since, of);
    }

    Column touchingEverySlice() {
        return new Column(name, type, lay, leader, width, fold, true, nullable, echo, since, of);
    }

    Column echoing(String component) {
        return new Column(name, type, lay, leader, width, fold, everySlice, nullable, component, since, of);
    }

    Column of(String tensor) {
        return new Column(name, type, lay, leader, width, fold, everySlice, nullable, echo, since, tensor);
    }

    Column as(Lay other) {
        return new Column(name, type, other, leader, width, fold, everySlice, nullable, echo, since, of);
    }

    boolean isShared() {
        return type.endsWith("Array");
    }

    /** Whether the caller may give the array to be filled. */
    boolean isFilled() {
        return lay == Lay.RANGE || lay == Lay.ALONG || lay == Lay.COUNTS;
    }

    /** Elements in a row. */
    int elements(int tensorWidth) {
        boolean counts = lay == Lay.COUNTS || lay == Lay.APPENDED_COUNTS;
        return counts ? 1 : width == 0 ? tensorWidth : width;
    }

    String source() {
        String widthOnly = width == 0 ? "" : "(width = " + width + ")";
        String layout = switch (lay) {
            case TARGET, WHOLE, LIST, UNION -> "";
            case OWNER, PRODUCED -> "@io.psf.api.layout.ByKey ";
            case RANGE -> "@io.psf.api.layout.ByRange" + widthOnly + " ";
            case KEYS ->
                "@io.psf.api.layout.ByKey(combine = io.psf.api.layout.Reduction." + fold + ", everySlice = "
                        + everySlice + (of.isEmpty() ? "" : ", of = \"" + of + "\"") + ") ";
            case ALONG, COUNTS, APPENDED, APPENDED_COUNTS ->
                "@io.psf.api.layout.Along(value = \"" + leader + "\"" + (width == 0 ? "" : ", width = " + width) + ") ";
            case RAGGED, APPENDED_RAGGED -> "@io.psf.api.layout.Ragged(\"" + leader + "\") ";
            case REDUCE, REDUCED_MAP -> "@io.psf.api.layout.Reduce(io.psf.api.layout.Reduction." + fold + ") ";
        };
        return (since == 1 ? "" : "@io.psf.api.Since(" + since + ") ") + layout + annotated(type, nullable) + " "
                + name;
    }

    /** The type, with a mark of null where it belongs. */
    static String annotated(String type, boolean nullable) {
        if (!nullable) {
            return type;
        } else if (type.endsWith("[]")) {
            return type.replace("[]", " " + NULLABLE + "[]");
        }
        int generic = type.indexOf('<');
        int at = type.lastIndexOf('.', generic < 0 ? type.length() : generic) + 1;
        return type.substring(0, at) + NULLABLE + type.substring(at);
    }
}
