package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduction;

/** Adds edges to a graph, and tells the neighbours of nodes. */
@PsFunction("acme.neighbors")
public interface Neighbors {
  record Request(
      TensorId graph,
      @ByKey(combine = Reduction.LAST) LongArray nodes,
      @ByKey LongArray from,
      @Ragged("degrees") LongArray to,
      @Along("from") IntArray degrees) {}

  record Response(
      @Ragged("counts") LongArray neighbors,
      @Along("nodes") IntArray counts,
      @ByKey LongArray isolated,
      @Along("isolated") IntArray ages,
      @Ragged("ages") DoubleArray history,
      @Since(2) @Ragged("counts") DoubleArray weights) {}

  Response handle(Request slice, Shard shard);
}
