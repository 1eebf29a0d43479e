package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.List;

/**
 * The versions of the protocol that a node speaks, and the optional features that it has. Nodes exchange it when they
 * join and when they open a connection. From then on both sides use the highest common version and the common features.
 *
 * @param version the highest version
 * @param oldest the lowest version
 * @param features the features, each named once
 */
public record Protocol(int version, int oldest, List<Feature> features) {
    private static final int MOST_FEATURES = 100;

    /**
     * An optional part of the protocol.
     *
     * @param name its name
     * @param required true if the node does not connect to a node without it
     */
    public record Feature(String name, boolean required) {}

    /** Frames with checksums, if one side asks for them. */
    static final String CHECKSUM = "checksum";

    /** The protocol of this version of psf. */
    static final Protocol OWN = new Protocol(1, 1, List.of(new Feature(CHECKSUM, false)));

    /** Returns a copy that requires a feature of the other side. */
    Protocol requiring(String feature) {
        return new Protocol(
                version,
                oldest,
                features.stream()
                        .map(each -> each.name.equals(feature) ? new Feature(feature, true) : each)
                        .toList());
    }

    /**
     * Returns what a node and another one have in common. A feature that only one of them has is ignored, unless that
     * node requires it.
     *
     * @throws PsException with {@code PROTOCOL} if there is no common version, or one of them requires a feature that
     *     the other does not have
     */
    Protocol agree(Protocol other) {
        int common = Math.min(version, other.version);
        if (common < oldest || common < other.oldest) {
            throw new PsException(
                    Code.PROTOCOL,
                    "versions of the protocol: " + other.versions() + " (expected: one of " + versions() + ")");
        }
        if (other.features.size() > MOST_FEATURES) {
            throw new PsException(
                    Code.PROTOCOL,
                    "features of the protocol: " + other.features.size() + " (expected: at most " + MOST_FEATURES
                            + ")");
        }
        for (Feature feature : other.features) {
            if (feature.required && !has(feature.name)) {
                throw new PsException(
                        Code.PROTOCOL,
                        "feature of the protocol: \"" + feature.name + "\" (expected: one of " + names() + ")");
            }
        }
        for (Feature feature : features) {
            if (feature.required && !other.has(feature.name)) {
                throw new PsException(
                        Code.PROTOCOL,
                        "features of the protocol: " + other.names() + " (expected: \"" + feature.name + "\" as well)");
            }
        }
        return new Protocol(
                common,
                Math.max(oldest, other.oldest),
                features.stream().filter(feature -> other.has(feature.name)).toList());
    }

    /** True if the node has a feature. */
    boolean has(String feature) {
        return features.stream().anyMatch(each -> each.name.equals(feature));
    }

    private String versions() {
        return oldest == version ? String.valueOf(version) : oldest + " to " + version;
    }

    private List<String> names() {
        return features.stream().map(Feature::name).toList();
    }
}
