package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;

/** Formats that cannot be. */
@PsFunction("bad.formats")
public interface Formats {
  record Nested(@Wire float[] inside) {} // ERROR [PsfWireType]

  record Request(
      TensorId tensor,
      @Wire(FloatType.FLOAT16) @ByKey LongArray keys, // ERROR [PsfWireType]
      @Wire int scalar, // ERROR [PsfWireType]
      @Wire({FloatType.FLOAT16, FloatType.INT8}) FloatArray two, // ERROR [PsfWireSeveral]
      Nested nested) {}

  record Response(@Along("keys") @Wire FloatArray values) {}

  Response handle(Request slice, Shard shard);

  @PsFunction(value = "bad.formats.of.servers", at = Place.SERVER)
  interface OfServers {
    record Request(@Wire FloatArray values) {} // ERROR [PsfWirePlace]

    record Response() {}

    Response handle(Request request, Node server);
  }
}
