package io.psf.processor.model;

import io.psf.api.layout.Reduction;
import java.util.Locale;

/**
 * A component of a request or a response.
 *
 * @param index its number in the tuple, from 0
 * @param name its name
 * @param type what it holds
 * @param layout how it lies over the slices
 * @param since the schema version that brought it, from 1
 * @param doc the text of its {@code param} tag; empty if it has none
 */
public record Component(int index, String name, Type type, Layout layout, int since, String doc) {
    /** The component in the schema's text. */
    public String schema() {
        return name + ":" + type.schema() + layout.schema();
    }

    static String lower(Reduction reduction) {
        return reduction.name().toLowerCase(Locale.ROOT);
    }
}
