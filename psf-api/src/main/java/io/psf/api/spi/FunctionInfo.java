package io.psf.api.spi;

import io.psf.api.Place;
import java.util.List;

/**
 * What two peers compare of a function, and how a server runs it.
 *
 * @param name its identity
 * @param id the number of the name, {@link Names#number}
 * @param place where it runs
 * @param readOnly whether it changes nothing
 * @param ordered whether calls of one worker on one shard run one after the other; the server's alone, and not compared
 * @param schemas its schema as text, one for each version from 1 on, the last one the current: the {@code Since}
 *     components of later versions are left out of the earlier ones
 * @param formerly the names that it had before; empty if it never had another
 */
public record FunctionInfo(
        String name,
        int id,
        Place place,
        boolean readOnly,
        boolean ordered,
        List<String> schemas,
        List<String> formerly) {
    public FunctionInfo {
        schemas = List.copyOf(schemas);
        formerly = List.copyOf(formerly);
    }

    /** The info of a function whose calls have an order, and that never had another name. */
    public FunctionInfo(String name, int id, Place place, boolean readOnly, List<String> schemas) {
        this(name, id, place, readOnly, true, schemas, List.of());
    }

    /** The info of a function of that name. */
    public static FunctionInfo of(String name, Place place, boolean readOnly, String... schemas) {
        return new FunctionInfo(name, Names.number(name), place, readOnly, List.of(schemas));
    }

    /** The same function, whose calls have no order. */
    public FunctionInfo unordered() {
        return new FunctionInfo(name, id, place, readOnly, false, schemas, formerly);
    }

    /** The same function, with the names that it had before. */
    public FunctionInfo formerly(String... names) {
        return new FunctionInfo(name, id, place, readOnly, ordered, schemas, List.of(names));
    }

    /** The same function as peers know it that have it under a former name, whose schema's text begins with that name. */
    public FunctionInfo as(String former) {
        List<String> theirs = schemas.stream()
                .map(schema -> schema.startsWith(name) ? former + schema.substring(name.length()) : schema)
                .toList();
        return new FunctionInfo(former, Names.number(former), place, readOnly, ordered, theirs, List.of());
    }

    /** The schema's current version, from 1. */
    public int version() {
        return schemas.size();
    }

    /** The schema of the current version. */
    public String schema() {
        return schemas.get(schemas.size() - 1);
    }

    /** The fingerprint of the current version. */
    public int fingerprint() {
        return fingerprint(version());
    }

    /** The fingerprint of a version that this side knows. */
    public int fingerprint(int version) {
        return Names.number(schemas.get(version - 1));
    }
}
