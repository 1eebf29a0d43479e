package io.psf.api.spi;

import io.psf.api.Names;
import io.psf.api.Place;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/**
 * The description of a function, which two peers compare and which tells a server how to run the function.
 *
 * @param name the function's name, its identity
 * @param id the number of the name, {@link Names#number}
 * @param place where the function runs
 * @param readOnly true if the function changes nothing
 * @param ordered true if calls of one worker on one shard run one after the other; used only by the server, and not
 *     compared
 * @param schemas the schema as text, one for each version from 1 on; the last one is the current version. An earlier
 *     version's schema does not have the {@code Since} components of later versions
 * @param formerly the function's former names; empty if it has none
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
        schemas = new Schemas(List.copyOf(schemas));
        formerly = List.copyOf(formerly);
    }

    /** Creates the info of a function whose calls are ordered, and that has no former name. */
    public FunctionInfo(String name, int id, Place place, boolean readOnly, List<String> schemas) {
        this(name, id, place, readOnly, true, schemas, List.of());
    }

    /** Returns the info of a function with the given name. */
    public static FunctionInfo of(String name, Place place, boolean readOnly, String... schemas) {
        return new FunctionInfo(name, Names.number(name), place, readOnly, List.of(schemas));
    }

    /** Returns a copy of this info whose calls are not ordered. */
    public FunctionInfo unordered() {
        return new FunctionInfo(name, id, place, readOnly, false, schemas, formerly);
    }

    /** Returns a copy of this info with the given former names. */
    public FunctionInfo formerly(String... names) {
        return new FunctionInfo(name, id, place, readOnly, ordered, schemas, List.of(names));
    }

    /**
     * Returns the info as seen by peers that have the function under a former name. The text of their schemas begins
     * with that name.
     */
    public FunctionInfo as(String former) {
        List<String> theirs = schemas.stream()
                .map(schema -> schema.startsWith(name) ? former + schema.substring(name.length()) : schema)
                .toList();
        return new FunctionInfo(former, Names.number(former), place, readOnly, ordered, theirs, List.of());
    }

    /** Returns the schema's current version, from 1. */
    public int version() {
        return schemas.size();
    }

    /** Returns the schema of the current version. */
    public String schema() {
        return schemas.get(schemas.size() - 1);
    }

    /** Returns the fingerprint of the current version. */
    public int fingerprint() {
        return fingerprint(version());
    }

    /** Returns the fingerprint of a version that this side knows. */
    public int fingerprint(int version) {
        return ((Schemas) schemas).fingerprints[version - 1];
    }

    /** Schemas with their fingerprints, of which each frame has one. */
    private static final class Schemas extends AbstractList<String> implements RandomAccess {
        private final List<String> texts;
        private final int[] fingerprints;

        Schemas(List<String> texts) {
            this.texts = texts;
            this.fingerprints = texts.stream().mapToInt(Names::number).toArray();
        }

        @Override
        public String get(int i) {
            return texts.get(i);
        }

        @Override
        public int size() {
            return texts.size();
        }
    }
}
