package io.tenfold.raid;

import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;

/** Why a member was asked no more. Offset in bytes from the member's first byte. */
record MemberFailure(Member member, Op op, long offset, long length, IoStatus status) {
    @Override
    public String toString() {
        return "op=" + op + ", status=" + status + ", offset=" + offset + ", length=" + length;
    }
}
