package io.tenfold.raid;

import io.tenfold.block.BlockingIo;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;

/** Reads an array by its plan, a page at a time, the first copy that is valid: slow, plain, and without the volume. */
final class PlainReading implements AutoCloseable {
    private static final int SECTOR = 512;
    private static final int PAGE = 4096;

    private final ArrayPlan plan;
    private final Map<ArrayPlan.Member, BlockingIo> channels = new HashMap<>();

    PlainReading(ArrayPlan plan) {
        this.plan = plan;
        plan.members().forEach(m -> channels.put(m, new BlockingIo(m.device(), Images.SHARD)));
    }

    byte[] all() throws IOException {
        byte[] content = new byte[Math.toIntExact(plan.sizeBytes())];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment page = arena.allocate(PAGE);
            for (int at = 0; at < content.length; at += PAGE) {
                if (!read(at, page)) {
                    for (int within = 0; within < PAGE; within += SECTOR) {
                        if (!read(at + within, page.asSlice(within, SECTOR))) {
                            throw new IOException("no copy: offset=" + (at + within));
                        }
                    }
                }
                MemorySegment.copy(page, ValueLayout.JAVA_BYTE, 0, content, at, PAGE);
            }
        }
        return content;
    }

    /** Fills a page or sector from the first copy that has all of it. */
    private boolean read(long at, MemorySegment into) throws IOException {
        boolean reshaped = plan.reshape().map(r -> r.isReshaped(at)).orElse(false);
        Geometry geometry = reshaped ? plan.reshape().orElseThrow().geometry() : plan.geometry();
        long chunk = geometry.chunkOf(at);
        for (int copy = 0; copy < geometry.copies(); copy++) {
            long place = geometry.locate(chunk, copy);
            long address = geometry.startOf(Geometry.memberChunk(place)) + geometry.withinChunk(at);
            for (ArrayPlan.Member member : plan.members()) {
                long base = reshaped ? member.newDataOffsetBytes() : member.dataOffsetBytes();
                if (member.role() == Geometry.role(place)
                        && address + into.byteSize() <= member.recoveredBytes()
                        && isGood(member, base + address, into.byteSize())) {
                    channels.get(member).read(base + address, into);
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isGood(ArrayPlan.Member member, long at, long length) {
        return member.badRanges().stream()
                .noneMatch(r -> at < r.startBytes() + r.lengthBytes() && r.startBytes() < at + length);
    }

    @Override
    public void close() {
        channels.values().forEach(BlockingIo::close);
    }
}
