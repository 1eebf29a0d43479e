package io.psf.processor.model;

import io.psf.api.layout.Reduction;
import java.util.Locale;
import java.util.stream.IntStream;

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
    /** The component in the text of a version of the schema. */
    String schema(int version) {
        return name + ":" + type.schema(version, since) + layout.schema();
    }

    /** The last version that brought something of it. */
    int last() {
        return IntStream.concat(IntStream.of(since), type.grown()).max().orElse(since);
    }

    /** The versions whose sections have something of it. */
    IntStream sections() {
        return type.sections(since);
    }

    static String lower(Reduction reduction) {
        return reduction.name().toLowerCase(Locale.ROOT);
    }
}
