package io.psf.processor.model;

import io.psf.api.layout.Reduction;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A component of a request or a response.
 *
 * @param index the component's number in the tuple, from 0
 * @param name the component's name
 * @param type the component's type
 * @param layout the component's layout over the slices
 * @param since the schema version that added the component, from 1
 * @param doc the text of the component's {@code param} tag; empty if it has none
 */
public record Component(int index, String name, Type type, Layout layout, int since, String doc) {
    /** Returns the component's text in a version of the schema. */
    String schema(int version) {
        return name + ":" + type.schema(version, since) + layout.schema();
    }

    /** Returns the last version that added the component or a part of it. */
    int last() {
        return IntStream.concat(IntStream.of(since), type.grown()).max().orElse(since);
    }

    /** Returns the versions whose sections have a part of the component. */
    IntStream sections() {
        return type.sections(since);
    }

    static String lower(Reduction reduction) {
        return reduction.name().toLowerCase(Locale.ROOT);
    }
}
