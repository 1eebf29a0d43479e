package io.psf.runtime.internal.cluster;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map of int keys. A copy with another entry shares all but one path with its original: it takes as long
 * for 10,000 entries as for 100. A trie of 32 branches, with equal structure for equal keys.
 *
 * @param <V> the type of the values
 */
final class IntMap<V> {
    private static final int BITS = 5;
    private static final IntMap<?> EMPTY = new IntMap<>(null, 0);

    /** A {@link Leaf}, a {@link Branch}, or null for the empty map. */
    private final @Nullable Object root;

    private final int size;

    private record Leaf(int key, Object value) {}

    /**
     * Several entries.
     *
     * @param bitmap which of the 32 children there are
     * @param children those, in order
     */
    private record Branch(int bitmap, Object[] children) {
        /** The place of a child, there or not. */
        int place(int bit) {
            return Integer.bitCount(bitmap & (bit - 1));
        }
    }

    private IntMap(@Nullable Object root, int size) {
        this.root = root;
        this.size = size;
    }

    @SuppressWarnings("unchecked") // it has no values
    static <V> IntMap<V> empty() {
        return (IntMap<V>) EMPTY;
    }

    int size() {
        return size;
    }

    @SuppressWarnings("unchecked") // put as one
    @Nullable
    V get(int key) {
        Object at = root;
        for (int shift = 0; at instanceof Branch branch; shift += BITS) {
            int bit = bit(key, shift);
            at = (branch.bitmap & bit) == 0 ? null : branch.children[branch.place(bit)];
        }
        return at instanceof Leaf leaf && leaf.key == key ? (V) leaf.value : null;
    }

    /** Returns a copy with an entry, in place of another one with its key. */
    IntMap<V> with(int key, V value) {
        return new IntMap<>(with(root, 0, new Leaf(key, value)), get(key) == null ? size + 1 : size);
    }

    /** Returns a copy without a key. */
    IntMap<V> without(int key) {
        return get(key) == null ? this : new IntMap<>(without(root, 0, key), size - 1);
    }

    @SuppressWarnings("unchecked") // put as such
    void forEach(Consumer<? super V> action) {
        forEach(root, value -> action.accept((V) value));
    }

    private static int bit(int key, int shift) {
        return 1 << ((key >>> shift) & 31);
    }

    private static Object with(@Nullable Object at, int shift, Leaf leaf) {
        if (at == null) {
            return leaf;
        }
        if (at instanceof Leaf there) {
            return there.key == leaf.key
                    ? leaf
                    : with(new Branch(bit(there.key, shift), new Object[] {there}), shift, leaf);
        }
        Branch branch = (Branch) at;
        int bit = bit(leaf.key, shift);
        int place = branch.place(bit);
        Object[] children;
        if ((branch.bitmap & bit) != 0) {
            children = branch.children.clone();
            children[place] = with(children[place], shift + BITS, leaf);
        } else {
            children = new Object[branch.children.length + 1];
            System.arraycopy(branch.children, 0, children, 0, place);
            children[place] = leaf;
            System.arraycopy(branch.children, place, children, place + 1, branch.children.length - place);
        }
        return new Branch(branch.bitmap | bit, children);
    }

    private static @Nullable Object without(@Nullable Object at, int shift, int key) {
        if (!(at instanceof Branch branch)) {
            return null; // the leaf of the key
        }
        int bit = bit(key, shift);
        int place = branch.place(bit);
        Object[] children = branch.children;
        Object child = without(children[place], shift + BITS, key);
        if (child != null) {
            children = children.clone();
            children[place] = child;
            return children.length == 1 && child instanceof Leaf ? child : new Branch(branch.bitmap, children);
        }
        Object[] fewer = new Object[children.length - 1];
        System.arraycopy(children, 0, fewer, 0, place);
        System.arraycopy(children, place + 1, fewer, place, fewer.length - place);
        return fewer.length == 1 && fewer[0] instanceof Leaf last ? last : new Branch(branch.bitmap & ~bit, fewer);
    }

    private static void forEach(@Nullable Object at, Consumer<Object> action) {
        if (at instanceof Leaf leaf) {
            action.accept(leaf.value);
        } else if (at instanceof Branch branch) {
            for (Object child : branch.children) {
                forEach(child, action);
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // a shortcut: maps of one origin share most of their branches
    private static boolean same(@Nullable Object one, @Nullable Object other) {
        if (!(one instanceof Branch a) || !(other instanceof Branch b)) {
            return one == null ? other == null : one.equals(other);
        }
        if (a == b) {
            return true;
        }
        if (a.bitmap != b.bitmap) {
            return false;
        }
        for (int i = 0; i < a.children.length; i++) {
            if (!same(a.children[i], b.children[i])) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IntMap<?> map && size == map.size && same(root, map.root);
    }

    @Override
    public int hashCode() {
        int[] sum = {size};
        forEach(root, value -> sum[0] += value.hashCode());
        return Arrays.hashCode(sum);
    }
}
